// Functions of every sort: generic, of the runtime, in assembly.
package main

import (
	"fmt"
	"math/big"
	"os"
	"sort"
)

type Box[T any] struct{ value T }

//go:noinline
func (b Box[T]) Get() T { return b.value }

//go:noinline
func twice(n int) int { return 2 * n }

func main() {
	numbers := []int{3, len(os.Args), twice(4)}
	sort.Ints(numbers)
	fmt.Println(numbers, Box[int]{1}.Get(), Box[string]{"x"}.Get(), big.NewInt(7).Exp(big.NewInt(3), big.NewInt(4), nil))
}
