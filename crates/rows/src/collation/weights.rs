//! Weights of characters under `utf8mb4_general_ci`.
//!
//! A character's weight is a number of 16 bits: its own code point, but for the ones below, where
//! it is that of a capital letter without accents. Characters above U+FFFF all weigh U+FFFD.
//!
//! The runs below were measured, not computed: `SELECT WEIGHT_STRING(c COLLATE
//! utf8mb4_general_ci)` of MariaDB 10.11 for every character up to U+FFFF, those that differ from
//! their code point gathered into runs. MySQL has the same weights. They must never change, since
//! keys on disk are made of them; so nothing here follows the Unicode version of a library.
//!
//! Not here: padding and the bytes of keys (`compare`, `key::text`).

/// What characters above U+FFFF weigh, and bytes that are not UTF-8.
pub(crate) const OTHER: u16 = 0xFFFD;

/// (first character, how many, distance between them, weight of the first, distance of weights)
type Run = (u16, u16, u16, u16, u16);

#[rustfmt::skip]
const RUNS: [Run; 273] = [
    (0x0061, 26, 1, 0x0041, 1), (0x00b5, 1, 1, 0x039c, 0), (0x00c0, 6, 1, 0x0041, 0),
    (0x00c7, 2, 2, 0x0043, 2), (0x00c8, 2, 2, 0x0045, 0), (0x00cb, 1, 1, 0x0045, 0),
    (0x00cc, 4, 1, 0x0049, 0), (0x00d1, 2, 1, 0x004e, 1), (0x00d3, 4, 1, 0x004f, 0),
    (0x00d9, 4, 1, 0x0055, 0), (0x00dd, 1, 1, 0x0059, 0), (0x00df, 1, 1, 0x0053, 0),
    (0x00e0, 6, 1, 0x0041, 0), (0x00e6, 1, 1, 0x00c6, 0), (0x00e7, 2, 2, 0x0043, 2),
    (0x00e8, 2, 2, 0x0045, 0), (0x00eb, 1, 1, 0x0045, 0), (0x00ec, 4, 1, 0x0049, 0),
    (0x00f0, 1, 1, 0x00d0, 0), (0x00f1, 2, 1, 0x004e, 1), (0x00f3, 4, 1, 0x004f, 0),
    (0x00f8, 1, 1, 0x00d8, 0), (0x00f9, 4, 1, 0x0055, 0), (0x00fd, 2, 2, 0x0059, 0),
    (0x00fe, 1, 1, 0x00de, 0), (0x0100, 6, 1, 0x0041, 0), (0x0106, 8, 1, 0x0043, 0),
    (0x010e, 2, 1, 0x0044, 0), (0x0111, 1, 1, 0x0110, 0), (0x0112, 10, 1, 0x0045, 0),
    (0x011c, 8, 1, 0x0047, 0), (0x0124, 2, 1, 0x0048, 0), (0x0127, 1, 1, 0x0126, 0),
    (0x0128, 10, 1, 0x0049, 0), (0x0133, 1, 1, 0x0132, 0), (0x0134, 2, 1, 0x004a, 0),
    (0x0136, 2, 1, 0x004b, 0), (0x0139, 6, 1, 0x004c, 0), (0x0140, 2, 2, 0x013f, 2),
    (0x0143, 6, 1, 0x004e, 0), (0x014b, 1, 1, 0x014a, 0), (0x014c, 6, 1, 0x004f, 0),
    (0x0153, 1, 1, 0x0152, 0), (0x0154, 6, 1, 0x0052, 0), (0x015a, 8, 1, 0x0053, 0),
    (0x0162, 4, 1, 0x0054, 0), (0x0167, 1, 1, 0x0166, 0), (0x0168, 12, 1, 0x0055, 0),
    (0x0174, 2, 1, 0x0057, 0), (0x0176, 3, 1, 0x0059, 0), (0x0179, 6, 1, 0x005a, 0),
    (0x017f, 1, 1, 0x0053, 0), (0x0183, 2, 2, 0x0182, 2), (0x0188, 1, 1, 0x0187, 0),
    (0x018c, 1, 1, 0x018b, 0), (0x0192, 1, 1, 0x0191, 0), (0x0195, 1, 1, 0x01f6, 0),
    (0x0199, 1, 1, 0x0198, 0), (0x01a0, 2, 1, 0x004f, 0), (0x01a3, 2, 2, 0x01a2, 2),
    (0x01a8, 1, 1, 0x01a7, 0), (0x01ad, 1, 1, 0x01ac, 0), (0x01af, 2, 1, 0x0055, 0),
    (0x01b4, 2, 2, 0x01b3, 2), (0x01b9, 1, 1, 0x01b8, 0), (0x01bd, 1, 1, 0x01bc, 0),
    (0x01bf, 1, 1, 0x01f7, 0), (0x01c5, 2, 1, 0x01c4, 0), (0x01c8, 2, 1, 0x01c7, 0),
    (0x01cb, 2, 1, 0x01ca, 0), (0x01cd, 2, 1, 0x0041, 0), (0x01cf, 2, 1, 0x0049, 0),
    (0x01d1, 2, 1, 0x004f, 0), (0x01d3, 10, 1, 0x0055, 0), (0x01dd, 1, 1, 0x018e, 0),
    (0x01de, 4, 1, 0x0041, 0), (0x01e2, 2, 1, 0x00c6, 0), (0x01e5, 1, 1, 0x01e4, 0),
    (0x01e6, 2, 1, 0x0047, 0), (0x01e8, 2, 1, 0x004b, 0), (0x01ea, 4, 1, 0x004f, 0),
    (0x01ee, 2, 1, 0x01b7, 0), (0x01f0, 1, 1, 0x004a, 0), (0x01f2, 2, 1, 0x01f1, 0),
    (0x01f4, 2, 1, 0x0047, 0), (0x01f8, 2, 1, 0x004e, 0), (0x01fa, 2, 1, 0x0041, 0),
    (0x01fc, 2, 1, 0x00c6, 0), (0x01fe, 2, 1, 0x00d8, 0), (0x0200, 4, 1, 0x0041, 0),
    (0x0204, 4, 1, 0x0045, 0), (0x0208, 4, 1, 0x0049, 0), (0x020c, 4, 1, 0x004f, 0),
    (0x0210, 4, 1, 0x0052, 0), (0x0214, 4, 1, 0x0055, 0), (0x0218, 2, 1, 0x0053, 0),
    (0x021a, 2, 1, 0x0054, 0), (0x021d, 1, 1, 0x021c, 0), (0x021e, 2, 1, 0x0048, 0),
    (0x0223, 2, 2, 0x0222, 2), (0x0226, 2, 1, 0x0041, 0), (0x0228, 2, 1, 0x0045, 0),
    (0x022a, 8, 1, 0x004f, 0), (0x0232, 2, 1, 0x0059, 0), (0x0253, 1, 1, 0x0181, 0),
    (0x0254, 1, 1, 0x0186, 0), (0x0256, 2, 1, 0x0189, 1), (0x0259, 1, 1, 0x018f, 0),
    (0x025b, 1, 1, 0x0190, 0), (0x0260, 1, 1, 0x0193, 0), (0x0263, 1, 1, 0x0194, 0),
    (0x0268, 1, 1, 0x0197, 0), (0x0269, 1, 1, 0x0196, 0), (0x026f, 1, 1, 0x019c, 0),
    (0x0272, 1, 1, 0x019d, 0), (0x0275, 1, 1, 0x019f, 0), (0x0280, 1, 1, 0x01a6, 0),
    (0x0283, 1, 1, 0x01a9, 0), (0x0288, 1, 1, 0x01ae, 0), (0x028a, 2, 1, 0x01b1, 1),
    (0x0292, 1, 1, 0x01b7, 0), (0x0345, 1, 1, 0x0399, 0), (0x0386, 1, 1, 0x0391, 0),
    (0x0388, 1, 1, 0x0395, 0), (0x0389, 1, 1, 0x0397, 0), (0x038a, 1, 1, 0x0399, 0),
    (0x038c, 1, 1, 0x039f, 0), (0x038e, 1, 1, 0x03a5, 0), (0x038f, 1, 1, 0x03a9, 0),
    (0x0390, 1, 1, 0x0399, 0), (0x03aa, 1, 1, 0x0399, 0), (0x03ab, 1, 1, 0x03a5, 0),
    (0x03ac, 1, 1, 0x0391, 0), (0x03ad, 1, 1, 0x0395, 0), (0x03ae, 1, 1, 0x0397, 0),
    (0x03af, 1, 1, 0x0399, 0), (0x03b0, 1, 1, 0x03a5, 0), (0x03b1, 17, 1, 0x0391, 1),
    (0x03c2, 2, 1, 0x03a3, 0), (0x03c4, 6, 1, 0x03a4, 1), (0x03ca, 1, 1, 0x0399, 0),
    (0x03cb, 2, 2, 0x03a5, 0), (0x03cc, 1, 1, 0x039f, 0), (0x03ce, 1, 1, 0x03a9, 0),
    (0x03d0, 1, 1, 0x0392, 0), (0x03d1, 1, 1, 0x0398, 0), (0x03d3, 2, 1, 0x03d2, 0),
    (0x03d5, 1, 1, 0x03a6, 0), (0x03d6, 1, 1, 0x03a0, 0), (0x03db, 11, 2, 0x03da, 2),
    (0x03f0, 1, 1, 0x039a, 0), (0x03f1, 1, 1, 0x03a1, 0), (0x03f2, 1, 1, 0x03a3, 0),
    (0x0400, 2, 1, 0x0415, 0), (0x0403, 1, 1, 0x0413, 0), (0x0407, 1, 1, 0x0406, 0),
    (0x040c, 1, 1, 0x041a, 0), (0x040d, 1, 1, 0x0418, 0), (0x040e, 1, 1, 0x0423, 0),
    (0x0430, 32, 1, 0x0410, 1), (0x0450, 2, 1, 0x0415, 0), (0x0452, 5, 2, 0x0402, 2),
    (0x0453, 1, 1, 0x0413, 0), (0x0455, 1, 1, 0x0405, 0), (0x0457, 1, 1, 0x0406, 0),
    (0x0459, 2, 2, 0x0409, 2), (0x045c, 1, 1, 0x041a, 0), (0x045d, 1, 1, 0x0418, 0),
    (0x045e, 1, 1, 0x0423, 0), (0x045f, 1, 1, 0x040f, 0), (0x0461, 11, 2, 0x0460, 2),
    (0x0476, 2, 1, 0x0474, 0), (0x0479, 5, 2, 0x0478, 2), (0x048d, 26, 2, 0x048c, 2),
    (0x04c1, 2, 1, 0x0416, 0), (0x04c4, 1, 1, 0x04c3, 0), (0x04c8, 1, 1, 0x04c7, 0),
    (0x04cc, 1, 1, 0x04cb, 0), (0x04d0, 4, 1, 0x0410, 0), (0x04d5, 1, 1, 0x04d4, 0),
    (0x04d6, 2, 1, 0x0415, 0), (0x04d9, 3, 1, 0x04d8, 0), (0x04dc, 2, 1, 0x0416, 0),
    (0x04de, 2, 1, 0x0417, 0), (0x04e1, 1, 1, 0x04e0, 0), (0x04e2, 4, 1, 0x0418, 0),
    (0x04e6, 2, 1, 0x041e, 0), (0x04e9, 3, 1, 0x04e8, 0), (0x04ec, 2, 1, 0x042d, 0),
    (0x04ee, 6, 1, 0x0423, 0), (0x04f4, 2, 1, 0x0427, 0), (0x04f8, 2, 1, 0x042b, 0),
    (0x0561, 38, 1, 0x0531, 1), (0x1e00, 2, 1, 0x0041, 0), (0x1e02, 6, 1, 0x0042, 0),
    (0x1e08, 2, 1, 0x0043, 0), (0x1e0a, 10, 1, 0x0044, 0), (0x1e14, 10, 1, 0x0045, 0),
    (0x1e1e, 2, 1, 0x0046, 0), (0x1e20, 2, 1, 0x0047, 0), (0x1e22, 10, 1, 0x0048, 0),
    (0x1e2c, 4, 1, 0x0049, 0), (0x1e30, 6, 1, 0x004b, 0), (0x1e36, 8, 1, 0x004c, 0),
    (0x1e3e, 6, 1, 0x004d, 0), (0x1e44, 8, 1, 0x004e, 0), (0x1e4c, 8, 1, 0x004f, 0),
    (0x1e54, 4, 1, 0x0050, 0), (0x1e58, 8, 1, 0x0052, 0), (0x1e60, 10, 1, 0x0053, 0),
    (0x1e6a, 8, 1, 0x0054, 0), (0x1e72, 10, 1, 0x0055, 0), (0x1e7c, 4, 1, 0x0056, 0),
    (0x1e80, 10, 1, 0x0057, 0), (0x1e8a, 4, 1, 0x0058, 0), (0x1e8e, 2, 1, 0x0059, 0),
    (0x1e90, 6, 1, 0x005a, 0), (0x1e96, 1, 1, 0x0048, 0), (0x1e97, 1, 1, 0x0054, 0),
    (0x1e98, 1, 1, 0x0057, 0), (0x1e99, 1, 1, 0x0059, 0), (0x1e9b, 1, 1, 0x0053, 0),
    (0x1ea0, 24, 1, 0x0041, 0), (0x1eb8, 16, 1, 0x0045, 0), (0x1ec8, 4, 1, 0x0049, 0),
    (0x1ecc, 24, 1, 0x004f, 0), (0x1ee4, 14, 1, 0x0055, 0), (0x1ef2, 8, 1, 0x0059, 0),
    (0x1f00, 16, 1, 0x0391, 0), (0x1f10, 6, 1, 0x0395, 0), (0x1f18, 6, 1, 0x0395, 0),
    (0x1f20, 16, 1, 0x0397, 0), (0x1f30, 16, 1, 0x0399, 0), (0x1f40, 6, 1, 0x039f, 0),
    (0x1f48, 6, 1, 0x039f, 0), (0x1f50, 8, 1, 0x03a5, 0), (0x1f59, 4, 2, 0x03a5, 0),
    (0x1f60, 16, 1, 0x03a9, 0), (0x1f70, 1, 1, 0x0391, 0), (0x1f71, 1, 1, 0x1fbb, 0),
    (0x1f72, 3, 2, 0x0395, 2), (0x1f73, 2, 2, 0x1fc9, 2), (0x1f77, 1, 1, 0x1fdb, 0),
    (0x1f78, 1, 1, 0x039f, 0), (0x1f79, 1, 1, 0x1ff9, 0), (0x1f7a, 1, 1, 0x03a5, 0),
    (0x1f7b, 1, 1, 0x1feb, 0), (0x1f7c, 1, 1, 0x03a9, 0), (0x1f7d, 1, 1, 0x1ffb, 0),
    (0x1f80, 16, 1, 0x0391, 0), (0x1f90, 16, 1, 0x0397, 0), (0x1fa0, 16, 1, 0x03a9, 0),
    (0x1fb0, 7, 2, 0x0391, 0), (0x1fb1, 2, 2, 0x0391, 0), (0x1fb7, 2, 2, 0x0391, 0),
    (0x1fbe, 1, 1, 0x0399, 0), (0x1fc2, 3, 1, 0x0397, 0), (0x1fc6, 2, 1, 0x0397, 0),
    (0x1fc8, 2, 2, 0x0395, 2), (0x1fcc, 1, 1, 0x0397, 0), (0x1fd0, 3, 1, 0x0399, 0),
    (0x1fd6, 5, 1, 0x0399, 0), (0x1fe0, 3, 1, 0x03a5, 0), (0x1fe4, 2, 1, 0x03a1, 0),
    (0x1fe6, 5, 1, 0x03a5, 0), (0x1fec, 1, 1, 0x03a1, 0), (0x1ff2, 3, 1, 0x03a9, 0),
    (0x1ff6, 2, 1, 0x03a9, 0), (0x1ff8, 1, 1, 0x039f, 0), (0x1ffa, 2, 2, 0x03a9, 0),
    (0x2170, 16, 1, 0x2160, 1), (0x24d0, 26, 1, 0x24b6, 1), (0xff41, 26, 1, 0xff21, 1),
];

/// Blocks of 256 characters in which some weigh other than their code point.
const BLOCKS: [u8; 11] = [
    0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x1e, 0x1f, 0x21, 0x24, 0xff,
];

/// Weights of the blocks in `BLOCKS`.
static WEIGHTS: [[u16; 256]; BLOCKS.len()] = {
    let mut table = [[0; 256]; BLOCKS.len()];
    let mut block = 0;
    while block < BLOCKS.len() {
        let mut i = 0;
        while i < 256 {
            table[block][i] = (BLOCKS[block] as u16) << 8 | i as u16;
            i += 1;
        }
        block += 1;
    }
    let mut run = 0;
    while run < RUNS.len() {
        let (first, count, step, weight, weight_step) = RUNS[run];
        let mut i = 0;
        while i < count {
            let character = first + i * step;
            let block = INDEX[(character >> 8) as usize] as usize - 1;
            table[block][(character & 255) as usize] = weight + i * weight_step;
            i += 1;
        }
        run += 1;
    }
    table
};

/// For each block: 0 if all weigh their code point, else one more than its place in `BLOCKS`.
static INDEX: [u8; 256] = {
    let mut index = [0; 256];
    let mut block = 0;
    while block < BLOCKS.len() {
        index[BLOCKS[block] as usize] = block as u8 + 1;
        block += 1;
    }
    index
};

/// Weights of ASCII.
pub(crate) static ASCII: [u8; 128] = {
    let mut table = [0; 128];
    let mut i = 0;
    while i < 128 {
        table[i] = WEIGHTS[0][i] as u8;
        i += 1;
    }
    table
};

/// The weight of a character.
#[inline]
pub(crate) fn weight(character: u32) -> u16 {
    let Ok(short) = u16::try_from(character) else {
        return OTHER;
    };
    match INDEX[usize::from(short >> 8)] {
        0 => short,
        block => WEIGHTS[usize::from(block) - 1][usize::from(short & 255)],
    }
}

/// The first character of a text that is not empty, and its bytes. What is not UTF-8 counts byte
/// by byte as U+FFFD.
#[inline]
pub(crate) fn next_character(text: &[u8]) -> (u32, usize) {
    let tail = |byte: u8| (byte & 0xC0 == 0x80).then_some(u32::from(byte & 0x3F));
    match *text {
        [a @ 0..0x80, ..] => (u32::from(a), 1),
        [a @ 0xC2..0xE0, b, ..] if tail(b).is_some() => {
            ((u32::from(a) & 0x1F) << 6 | u32::from(b) & 0x3F, 2)
        }
        [a @ 0xE0..0xF0, b, c, ..] if tail(b).and(tail(c)).is_some() => {
            let low = (u32::from(b) & 0x3F) << 6 | u32::from(c) & 0x3F;
            ((u32::from(a) & 0x0F) << 12 | low, 3)
        }
        [a @ 0xF0..0xF5, b, c, d, ..] if tail(b).and(tail(c)).and(tail(d)).is_some() => {
            let low = (u32::from(c) & 0x3F) << 6 | u32::from(d) & 0x3F;
            (
                (u32::from(a) & 0x07) << 18 | (u32::from(b) & 0x3F) << 12 | low,
                4,
            )
        }
        _ => (u32::from(OTHER), 1),
    }
}
