// SPDX-License-Identifier: MIT

// The Go worker; what it is asked and what it answers is told in worker.hpp of the driver.
package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"
)

// What this worker can be asked.
type row struct {
	name, title string
	bytes       float64 // of the heap, for each limiter or key; 0: it has none
	demands     []string
	ask         func(demand string, h how) sample
	make        func(perSecond float64, burst int) limit
	wait        func(perSecond int) func()
}

func find(rows []row, name, demand string) *row {
	for i := range rows {
		for _, d := range rows[i].demands {
			if rows[i].name == name && d == demand {
				return &rows[i]
			}
		}
	}
	return nil
}

// Empty if it cannot.
func answer(rows []row, cores []int, request string) string {
	words := strings.Fields(request)
	if len(words) < 3 {
		return ""
	}
	r := find(rows, words[0], words[1])
	numbers := make([]int, 3)
	for i, word := range words[2:] {
		if n, err := strconv.Atoi(word); err == nil && i < len(numbers) {
			numbers[i] = n
		}
	}
	if r == nil {
		return ""
	}
	switch words[1] {
	case "accuracy":
		perSecond, units := numbers[0], numbers[1]
		l := r.make(float64(perSecond), max(units, perSecond/10))
		length := time.Duration(numbers[2]) * time.Millisecond
		admitted, between, within := accuracy(l, units, length)
		return fmt.Sprint(admitted, between.Nanoseconds(), within.Nanoseconds())
	case "waiting":
		length := time.Duration(numbers[1]) * time.Millisecond
		cpu, at := waiting(r.wait(numbers[0]), numbers[0], length)
		var all strings.Builder
		fmt.Fprint(&all, cpu.Nanoseconds(), len(at))
		for _, t := range at {
			fmt.Fprint(&all, " ", t.Nanoseconds())
		}
		return all.String()
	case "making":
		all := make([]limit, numbers[0])
		begin := time.Now()
		for i := range all {
			all[i] = r.make(perSecond, plenty)
		}
		taken := time.Since(begin)
		return fmt.Sprint(taken.Nanoseconds())
	}
	threads := numbers[0]
	if len(words) != 5 || threads < 1 || threads > len(cores) {
		return ""
	}
	s := r.ask(words[1], how{cores[:threads], numbers[1], words[4] == "p99.99"})
	return fmt.Sprint(s.ns, s.asked, s.admitted, s.switches)
}

func main() {
	if len(os.Args) == 3 && os.Args[1] == "first" {
		make := makes[os.Args[2]]
		if make == nil {
			fmt.Fprintln(os.Stderr, "no such limiter:", os.Args[2])
			os.Exit(2)
		}
		begin := time.Now()
		make(perSecond, plenty).one()
		fmt.Println(time.Since(begin).Nanoseconds())
		return
	}
	var numbers []int
	for _, word := range os.Args[1:] {
		n, err := strconv.Atoi(word)
		if err != nil {
			numbers = nil
			break
		}
		numbers = append(numbers, n)
	}
	if len(numbers) < 2 {
		fmt.Fprintln(os.Stderr, "usage: go <keys> <core> [<core>], or go first <name>")
		os.Exit(2)
	}
	rows := append(append(directRows(), waitingRows()...), keyedRows(numbers[0])...)
	for _, r := range rows {
		fmt.Println("row", r.name, r.bytes, strings.Join(r.demands, ","), r.title)
	}
	by := runtime.Version()
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, library := range info.Deps {
			by += ", " + library.Path + " " + library.Version
		}
	}
	fmt.Println("by", by)
	fmt.Println("ready")
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		told := answer(rows, numbers[1:], lines.Text())
		if told == "" {
			told = "error: cannot do: " + lines.Text()
		}
		fmt.Println(told)
	}
}
