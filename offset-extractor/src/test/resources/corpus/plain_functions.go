// Functions that every Go compiler knows: of the runtime, inlined, in assembly.
package main

import (
	"fmt"
	"math/big"
	"os"
	"sort"
)

//go:noinline
func twice(n int) int { return 2 * half(n) }

func half(n int) int { return n / 2 }

func main() {
	numbers := []int{3, len(os.Args), twice(4)}
	sort.Ints(numbers)
	fmt.Println(numbers, big.NewInt(7).Exp(big.NewInt(3), big.NewInt(4), nil))
}
