// Go's gomemcache: text protocol, a pool of connections. SQL beside it by the mariadb client.
package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/bradfitz/gomemcache/memcache"
)

var failed = false

func same(got, wanted any) {
	if fmt.Sprint(got) != fmt.Sprint(wanted) {
		panic(fmt.Sprintf("got %.200v, wanted %.200v", got, wanted))
	}
}

func check(name string, body func()) {
	defer func() {
		if why := recover(); why != nil {
			failed = true
			fmt.Printf("not ok gomemcache: %s: %v\n", name, why)
		} else {
			fmt.Printf("ok gomemcache: %s\n", name)
		}
	}()
	body()
}

func item(key, value string) *memcache.Item {
	return &memcache.Item{Key: key, Value: []byte(value)}
}

func sql(statement string) string {
	command := exec.Command("mariadb", "-h", "127.0.0.1", "-P", os.Getenv("PORT"), "-u", "root",
		"-N", "-e", statement)
	command.Env = append(os.Environ(), "MYSQL_PWD="+os.Getenv("ROOT_PASSWORD"))
	output, err := command.CombinedOutput()
	if err != nil {
		panic(fmt.Sprintf("%s: %s", statement, output))
	}
	return strings.TrimSpace(string(output))
}

func main() {
	client := memcache.New("127.0.0.1:" + os.Getenv("MEMCACHED_PORT"))
	client.Timeout = 10 * time.Second
	client.MaxIdleConns = 16
	get := func(key string) string {
		found, err := client.Get(key)
		if err != nil {
			return err.Error()
		}
		return string(found.Value)
	}
	missing := memcache.ErrCacheMiss.Error()

	check("set, add, replace, append, prepend, delete", func() {
		same(client.Ping(), nil)
		same(get("go:s"), missing)
		same(client.Replace(item("go:s", "x")), memcache.ErrNotStored)
		same(client.Append(item("go:s", "x")), memcache.ErrNotStored)
		same(client.Prepend(item("go:s", "x")), memcache.ErrNotStored)
		same(client.Add(item("go:s", "middle")), nil)
		same(client.Add(item("go:s", "x")), memcache.ErrNotStored)
		same(client.Append(item("go:s", " end")), nil)
		same(client.Prepend(item("go:s", "start ")), nil)
		same(get("go:s"), "start middle end")
		same(client.Replace(item("go:s", "new")), nil)
		same(get("go:s"), "new")
		same(client.Delete("go:s"), nil)
		same(client.Delete("go:s"), memcache.ErrCacheMiss)
	})
	check("compare and swap", func() {
		same(client.Set(&memcache.Item{Key: "go:c", Value: []byte("1"), Flags: 1<<32 - 1}), nil)
		first, err := client.Get("go:c")
		same(err, nil)
		same(first.Flags, uint32(1<<32-1))
		second, err := client.Get("go:c")
		same(err, nil)
		first.Value = []byte("2")
		same(client.CompareAndSwap(first), nil)
		second.Value = []byte("3")
		same(client.CompareAndSwap(second), memcache.ErrCASConflict)
		same(get("go:c"), "2")
		same(client.Delete("go:c"), nil)
		same(client.CompareAndSwap(second), memcache.ErrCacheMiss)
	})
	check("increment and decrement, sixteen at once", func() {
		_, err := client.Increment("go:n", 1)
		same(err, memcache.ErrCacheMiss)
		same(client.Set(item("go:n", "0")), nil)
		var all sync.WaitGroup
		for worker := 0; worker < 16; worker++ {
			all.Add(1)
			go func() {
				defer all.Done()
				for count := 0; count < 100; count++ {
					if _, err := client.Increment("go:n", 3); err != nil {
						panic(err)
					}
				}
			}()
		}
		all.Wait()
		left, err := client.Decrement("go:n", 1)
		same(err, nil)
		same(left, 16*100*3-1)
		left, err = client.Decrement("go:n", 1<<40)
		same(err, nil)
		same(left, 0)
	})
	check("several keys, every byte, nothing, 900,000 bytes", func() {
		var every bytes.Buffer
		for number := 0; number < 256; number++ {
			every.WriteByte(byte(number))
		}
		wanted := map[string]string{
			"go:every": every.String(), "go:none": "", "go:long": strings.Repeat("\r\n", 450_000),
		}
		keys := []string{"go:missing"}
		for key, value := range wanted {
			same(client.Set(item(key, value)), nil)
			keys = append(keys, key)
		}
		found, err := client.GetMulti(keys)
		same(err, nil)
		same(len(found), len(wanted))
		for key, value := range wanted {
			if string(found[key].Value) != value {
				panic(key + " came back different")
			}
		}
		if err := client.Set(item("go:long", strings.Repeat("x", 1<<20))); err == nil {
			panic("too large a value was taken")
		}
		same(get("go:long"), missing)
	})
	check("expiry, touch, get and touch", func() {
		same(client.Touch("go:e", 100), memcache.ErrCacheMiss)
		same(client.Set(&memcache.Item{Key: "go:e", Value: []byte("v"), Expiration: 1}), nil)
		same(client.Touch("go:e", 100), nil)
		found, err := client.GetAndTouch("go:e", 200)
		same(err, nil)
		same(string(found.Value), "v")
		same(client.Set(&memcache.Item{Key: "go:past", Value: []byte("v"), Expiration: -1}), nil)
		same(get("go:past"), missing)
		same(client.Set(&memcache.Item{Key: "go:soon", Value: []byte("v"), Expiration: 1}), nil)
		for since := time.Now(); get("go:soon") != missing; time.Sleep(50 * time.Millisecond) {
			if time.Since(since) > 10*time.Second {
				panic("it does not expire")
			}
		}
		same(get("go:e"), "v")
	})
	if os.Getenv("STAND_IN") == "" {
		check("rows of kv.cache", func() {
			same(client.Set(item("go:shared", "41")), nil)
			same(sql("SELECT v FROM kv.cache WHERE k = 'go:shared'"), "41")
			found, err := client.Get("go:shared")
			same(err, nil)
			sql("UPDATE kv.cache SET v = v + 1 WHERE k = 'go:shared'")
			found.Value = []byte("lost update")
			same(client.CompareAndSwap(found), memcache.ErrCASConflict)
			same(get("go:shared"), "42")
			sql("DELETE FROM kv.cache WHERE k = 'go:shared'")
			same(get("go:shared"), missing)
		})
	}
	check("flush", func() {
		same(client.Set(item("go:x", "v")), nil)
		same(client.FlushAll(), nil)
		same(get("go:x"), missing)
	})
	if failed {
		os.Exit(1)
	}
}
