// SPDX-License-Identifier: MIT

//go:build amd64 || arm64

package main

// A read of the core's counter that comes after all that was before it.
func ticks() uint64
