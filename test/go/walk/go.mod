// The walker of the transparency log, with the library of the Go project for signed notes and Merkle trees.
module clinicalprotocols.test/walk

go 1.26.0

require golang.org/x/mod v0.37.0
