// Stands in for a commit of github.com/transparency-dev/merkle that has no release. The witness requires that commit, but not
// every mirror of the module proxy has it. This module has the functions that the witness calls, based on the Merkle tree of
// the Go project.
module github.com/transparency-dev/merkle

go 1.25.0

require golang.org/x/mod v0.37.0
