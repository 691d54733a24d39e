/**
 * Connector/J and MariaDB Connector/J inside TLS: the server's own certificate is verified by a file or by the
 * account's password, each method of a login is spoken, rows go in and come back.
 */
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;
import java.util.Properties;

public class Main {
    static boolean failed = false;
    static final String PORT = System.getenv("PORT");
    static final String AUTHORITY = System.getenv("AUTHORITY");
    static final String ROOT = System.getenv("ROOT_PASSWORD");

    static void check(String name, Object wanted, Object got) {
        failed |= !Objects.equals(wanted, got);
        String instead = Objects.equals(wanted, got) ? "" : ": " + got + " instead of " + wanted;
        System.out.println((instead.isEmpty() ? "ok" : "not ok") + " jdbc: " + name + instead);
    }

    /** The version of TLS that a login got, or why it failed. */
    static String login(String url, String user, String password) {
        try (Connection connection = connect(url, user, password)) {
            return text(connection, "SHOW STATUS LIKE 'Ssl_version'", 2);
        } catch (SQLException error) {
            return error.getErrorCode() <= 0 ? "no connection" : String.valueOf(error.getErrorCode());
        }
    }

    static Connection connect(String url, String user, String password) throws SQLException {
        Properties login = new Properties();
        login.setProperty("user", user);
        login.setProperty("password", password);
        return DriverManager.getConnection(url, login);
    }

    static String text(Connection connection, String query, int column) throws SQLException {
        try (Statement statement = connection.createStatement(); ResultSet rows = statement.executeQuery(query)) {
            return rows.next() ? rows.getString(column) : null;
        }
    }

    /** A store of the certificate in a file of PEM, as Connector/J takes it. */
    static String store(String pem) throws Exception {
        Certificate certificate;
        try (FileInputStream file = new FileInputStream(pem)) {
            certificate = CertificateFactory.getInstance("X.509").generateCertificate(file);
        }
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setCertificateEntry("rowhouse", certificate);
        String path = System.getenv("WORK") + "/trusted.p12";
        try (FileOutputStream file = new FileOutputStream(path)) {
            store.store(file, "trusted".toCharArray());
        }
        return path;
    }

    static void rows(String name, String url) throws SQLException {
        try (Connection connection = connect(url, "root", ROOT)) {
            try (Statement statement = connection.createStatement()) {
                statement.execute("CREATE OR REPLACE TABLE jdbc.t (id BIGINT PRIMARY KEY, v VARCHAR(20), d DATETIME(3))");
            }
            connection.setAutoCommit(false);
            String insert = "INSERT INTO jdbc.t VALUES (?, ?, ?), (?, ?, ?)";
            try (PreparedStatement statement = connection.prepareStatement(insert)) {
                statement.setLong(1, 1);
                statement.setString(2, "gr\u00fcn");
                statement.setString(3, "2026-11-28 12:00:00.125");
                statement.setLong(4, 1L << 62);
                statement.setNull(5, java.sql.Types.VARCHAR);
                statement.setNull(6, java.sql.Types.TIMESTAMP);
                check(name + ": a prepared INSERT", 2, statement.executeUpdate());
            }
            connection.rollback();
            check(name + ": taken back", "0", text(connection, "SELECT COUNT(*) FROM jdbc.t", 1));
            try (Statement statement = connection.createStatement()) {
                statement.execute("INSERT INTO jdbc.t VALUES (1, 'gr\u00fcn', '2026-11-28 12:00:00.125')");
            }
            connection.commit();
            String select = "SELECT v, d FROM jdbc.t WHERE id = ?";
            try (PreparedStatement statement = connection.prepareStatement(select)) {
                statement.setLong(1, 1);
                try (ResultSet rows = statement.executeQuery()) {
                    check(name + ": a prepared SELECT", true, rows.next());
                    check(name + ": a text", "gr\u00fcn", rows.getString(1));
                    check(name + ": a time", "2026-11-28T12:00:00.125", rows.getTimestamp(2).toLocalDateTime().toString());
                }
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        String mysql = "jdbc:mysql://localhost:" + PORT + "/?allowPublicKeyRetrieval=false&sslMode=";
        String trusted = "&trustCertificateKeyStoreType=PKCS12&trustCertificateKeyStorePassword=trusted"
            + "&trustCertificateKeyStoreUrl=file:" + store(AUTHORITY);
        String verified = mysql + "VERIFY_IDENTITY" + trusted;
        String mariadb = "jdbc:mariadb://localhost:" + PORT + "/?sslMode=verify-full";
        String named = mariadb + "&serverSslCert=" + AUTHORITY;
        try (Connection connection = connect(verified, "root", ROOT); Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE jdbc");
            for (String[] account : new String[][] {
                {"sha2", "caching_sha2_password BY 'secret'"}, {"native", "mysql_native_password BY 'secret'"},
                {"ed", "ed25519 BY 'secret'"}, {"par", "parsec BY 'secret'"},
                {"several", "parsec BY 'other' OR ed25519 BY 'secret'"},
            }) {
                statement.execute("CREATE USER " + account[0] + " IDENTIFIED VIA " + account[1] + " REQUIRE SSL");
            }
        }
        for (String user : new String[] {"sha2", "native"}) {
            check("Connector/J, identity verified, " + user, "TLSv1.3", login(verified, user, "secret"));
            check("Connector/J, a wrong password, " + user, "1045", login(verified, user, "wrong"));
        }
        check("Connector/J trusts no other certificate", "no connection", login(mysql + "VERIFY_CA", "sha2", "secret"));
        check("Connector/J in plain text", "1045", login(mysql + "DISABLED", "native", "secret"));
        for (String user : new String[] {"sha2", "native", "ed", "par", "several"}) {
            check("MariaDB Connector/J, identity verified, " + user, "TLSv1.3", login(named, user, "secret"));
            check("MariaDB Connector/J, a wrong password, " + user, "1045", login(named, user, "wrong"));
        }
        // It would have the greeting name a method that proves the certificate, as MariaDB's does.
        check("MariaDB Connector/J, not verified", "no connection", login(mariadb, "native", "secret"));
        rows("Connector/J", verified + "&useServerPrepStmts=true");
        rows("MariaDB Connector/J", named + "&useServerPrepStmts=true");
        System.exit(failed ? 1 : 0);
    }
}
