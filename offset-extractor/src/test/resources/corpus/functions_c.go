// A part of functions.go that calls C.
package main

// static int thrice(int n) { return 3 * n; }
import "C"

func init() { println(C.thrice(4)) }
