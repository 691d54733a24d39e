//! How languages write numbers: FORMAT's third argument (MySQL 9.7 asked for each of its languages;
//! tests/oracle/sql/types.sql).
//!
//! Not here: the digits (`calls`), names of days and months (`statement::time_names`).

/// How a language writes numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NumberForm {
    point: char,
    separator: Option<char>,
    /// Digits of the groups but for the last, which has three.
    group: usize,
}

impl NumberForm {
    /// As in the United States.
    pub const PLAIN: NumberForm = of('.', Some(','), 3);

    /// That of a language by its name, without regard to case; `None` where there is no such one.
    pub fn find(language: &[u8]) -> Option<NumberForm> {
        let is_it = |names: &&str| {
            names.split(' ').any(|name| language.eq_ignore_ascii_case(name.as_bytes()))
        };
        FORMS.iter().find(|(_, names)| is_it(names)).map(|(form, _)| *form)
    }

    /// A number of these digits before and behind its point.
    pub fn written(self, whole: &str, fraction: &str) -> String {
        let mut out = String::with_capacity(2 * whole.len() + fraction.len());
        for (at, digit) in whole.chars().enumerate() {
            let left = whole.len() - at;
            let begins = left == 3 || left > 3 && (left - 3).is_multiple_of(self.group);
            if let (Some(separator), true, true) = (self.separator, at > 0, begins) {
                out.push(separator);
            }
            out.push(digit);
        }
        if !fraction.is_empty() {
            out.push(self.point);
            out.push_str(fraction);
        }
        out
    }
}

const fn of(point: char, separator: Option<char>, group: usize) -> NumberForm {
    NumberForm { point, separator, group }
}

/// Forms with the languages that have them.
const FORMS: [(NumberForm, &str); 8] = [
    (
        NumberForm::PLAIN,
        "en_US en_GB ja_JP ar_AE ar_BH ar_JO ar_SY gu_IN he_IL hi_IN ko_KR ms_MY th_TH ur_PK zh_CN \
         zh_TW ar_DZ ar_EG ar_IN ar_IQ ar_KW ar_LB ar_LY ar_MA ar_OM ar_QA ar_SD ar_TN ar_YE en_AU \
         en_CA en_NZ en_PH en_ZA en_ZW es_DO es_GT es_HN es_MX es_NI es_PA es_PE es_PR es_SV es_US \
         zh_HK",
    ),
    (of(',', Some(' '), 3), "bg_BG sv_SE cs_CZ et_EE fi_FI lv_LV mk_MK ru_RU sk_SK es_CR sv_FI"),
    (
        of(',', Some('.'), 3),
        "de_DE be_BY da_DK es_ES fo_FO hu_HU id_ID is_IS lt_LT mn_MN nb_NO ro_RO ru_UA sq_AL tr_TR \
         uk_UA vi_VN de_BE de_LU es_AR es_BO es_CL es_CO es_EC es_PY es_UY es_VE no_NO",
    ),
    (
        of(',', None, 3),
        "fr_FR ca_ES de_AT eu_ES gl_ES hr_HR nl_NL pl_PL pt_BR pt_PT sl_SI fr_BE fr_CA fr_CH fr_LU \
         it_IT nl_BE el_GR",
    ),
    (of('.', None, 3), "ar_SA sr_RS"),
    (of(',', Some('\''), 3), "it_CH rm_CH"),
    (of('.', Some(','), 2), "ta_IN te_IN en_IN"),
    (of('.', Some('\''), 3), "de_CH"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_each_language_does() {
        for (language, expected) in [
            ("en_US", "1,234,567,890.5"),
            ("DE_de", "1.234.567.890,5"),
            ("sv_SE", "1 234 567 890,5"),
            ("fr_FR", "1234567890,5"),
            ("te_IN", "1,23,45,67,890.5"),
            ("de_CH", "1'234'567'890.5"),
        ] {
            let form = NumberForm::find(language.as_bytes()).unwrap();
            assert_eq!(form.written("1234567890", "5"), expected, "{language}");
        }
        assert_eq!(NumberForm::find(b"xx_YY"), None);
        assert_eq!(NumberForm::PLAIN.written("123", ""), "123");
    }
}
