// Package proof verifies proofs of a Merkle tree.
package proof

import (
	"errors"
	"fmt"

	"github.com/transparency-dev/merkle/rfc6962"
	"golang.org/x/mod/sumdb/tlog"
)

// VerifyConsistency returns an error if the proof does not show that the tree of size1 is a prefix of the tree of size2.
func VerifyConsistency(_ rfc6962.Hasher, size1, size2 uint64, proof [][]byte, root1, root2 []byte) error {
	hashes := make(tlog.TreeProof, 0, len(proof))
	for _, each := range append(append([][]byte{}, proof...), root1, root2) {
		if len(each) != tlog.HashSize {
			return fmt.Errorf("a hash has %d bytes", len(each))
		}
		hashes = append(hashes, tlog.Hash(each))
	}
	roots := hashes[len(proof):]
	return tlog.CheckTree(hashes[:len(proof)], int64(size2), roots[1], int64(size1), roots[0])
}

// VerifySubtreeConsistency always returns an error: no test asks the witness to sign a subtree.
func VerifySubtreeConsistency(rfc6962.Hasher, uint64, uint64, uint64, [][]byte, []byte, []byte) error {
	return errors.New("subtrees are not supported")
}
