// go-sql-driver inside TLS: the server's own certificate is verified by a file, a password is
// proved, rows go in and come back by text and by prepared statements.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"database/sql"
	"errors"
	"fmt"
	"os"

	"github.com/go-sql-driver/mysql"
)

var failed = false

func check(name string, wanted, got any, err error) {
	if err == nil && wanted == got {
		fmt.Println("ok gosqldriver:", name)
		return
	}
	failed = true
	fmt.Printf("not ok gosqldriver: %s: %v (%v) instead of %v\n", name, got, err, wanted)
}

// A pool of connections by a password, which trusts these certificates.
func pool(password string, authorities *x509.CertPool, name string) *sql.DB {
	config := mysql.NewConfig()
	config.User, config.Passwd = "root", password
	config.Net, config.Addr = "tcp", "127.0.0.1:"+os.Getenv("PORT")
	config.TLS = &tls.Config{RootCAs: authorities, ServerName: name}
	connector, err := mysql.NewConnector(config)
	if err != nil {
		panic(err)
	}
	return sql.OpenDB(connector)
}

func main() {
	pem, err := os.ReadFile(os.Getenv("AUTHORITY"))
	if err != nil {
		panic(err)
	}
	authorities := x509.NewCertPool()
	authorities.AppendCertsFromPEM(pem)
	db := pool(os.Getenv("ROOT_PASSWORD"), authorities, "localhost")
	var variable, text string
	err = db.QueryRow("SHOW STATUS LIKE 'Ssl_version'").Scan(&variable, &text)
	check("the certificate is verified", "TLSv1.3", text, err)
	for _, statement := range []string{
		"CREATE DATABASE with_go",
		"CREATE TABLE with_go.t (id BIGINT PRIMARY KEY, v VARCHAR(20))",
	} {
		_, err = db.Exec(statement)
		check(statement, nil, nil, err)
	}
	result, err := db.Exec("INSERT INTO with_go.t VALUES (?, ?), (?, ?)", 1, "gr\u00fcn", 2, nil)
	affected := int64(0)
	if err == nil {
		affected, err = result.RowsAffected()
	}
	check("a prepared INSERT", int64(2), affected, err)
	err = db.QueryRow("SELECT v FROM with_go.t WHERE id = ?", 1).Scan(&text)
	check("a prepared SELECT", "gr\u00fcn", text, err)
	var null sql.NullString
	err = db.QueryRow("SELECT v FROM with_go.t WHERE id = 2").Scan(&null)
	check("NULL", false, null.Valid, err)

	var refused *mysql.MySQLError
	err = pool("wrong", authorities, "localhost").Ping()
	check("a wrong password", true, errors.As(err, &refused) && refused.Number == 1045, nil)
	var unknown x509.UnknownAuthorityError
	err = pool(os.Getenv("ROOT_PASSWORD"), x509.NewCertPool(), "localhost").Ping()
	check("a certificate that nobody trusts", true, errors.As(err, &unknown), nil)
	var misnamed x509.HostnameError
	err = pool(os.Getenv("ROOT_PASSWORD"), authorities, "example.org").Ping()
	check("a certificate of another name", true, errors.As(err, &misnamed), nil)
	if failed {
		os.Exit(1)
	}
}
