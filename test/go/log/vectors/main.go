// Command vectors prints test vectors of transparency-dev/merkle as JSON: for each size of a tree from 0 to 300, the
// SHA-256 of the text that holds the root, every inclusion proof and every consistency proof. The data of leaf N is the
// decimal number N as text. test/transparency/merkle-vectors.test.ts computes the same text with our own functions.
package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"

	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"github.com/transparency-dev/merkle/testonly"
)

const largest = 300

var hasher = rfc6962.DefaultHasher

func main() {
	log.SetFlags(0)
	tree := testonly.New(hasher)
	for i := range largest {
		tree.AppendData([]byte(strconv.Itoa(i)))
	}
	digests := make([]string, 0, largest+1)
	for size := range uint64(largest + 1) {
		digest := sha256.Sum256([]byte(textOf(tree, size)))
		digests = append(digests, hex.EncodeToString(digest[:]))
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(digests); err != nil {
		log.Fatal(err)
	}
}

// textOf returns one line for the root, for each inclusion proof and for each consistency proof of a tree with this size.
// It exits if the library rejects one of its own proofs.
func textOf(tree *testonly.Tree, size uint64) string {
	var text strings.Builder
	root := tree.HashAt(size)
	fmt.Fprintf(&text, "root %s\n", base64.StdEncoding.EncodeToString(root))
	for index := range size {
		hashes, err := tree.InclusionProof(index, size)
		must(err)
		must(proof.VerifyInclusion(hasher, index, size, tree.LeafHash(index), hashes, root))
		fmt.Fprintf(&text, "inclusion %d %s\n", index, list(hashes))
	}
	for old := uint64(1); old <= size; old++ {
		hashes, err := tree.ConsistencyProof(old, size)
		must(err)
		must(proof.VerifyConsistency(hasher, old, size, hashes, tree.HashAt(old), root))
		fmt.Fprintf(&text, "consistency %d %s\n", old, list(hashes))
	}
	return text.String()
}

func list(hashes [][]byte) string {
	texts := make([]string, 0, len(hashes))
	for _, hash := range hashes {
		texts = append(texts, base64.StdEncoding.EncodeToString(hash))
	}
	return strings.Join(texts, ",")
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
