// Command walk verifies a transparency log over HTTP with a library that the service does not use: the signed note and the
// Merkle tree of the Go project (golang.org/x/mod/sumdb). It prints the verified log as JSON. If a check fails, it prints the
// reason to standard error and exits with 1.
//
//	TOKEN=… walk -log http://localhost:3000/audit/log/ -key VKEY [-older FILE]
package main

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const (
	tileHeight = 8
	tileWidth  = 1 << tileHeight
	// entriesLevel is the level at which tlog places the tiles that hold the entries.
	entriesLevel = -1
)

// result describes the verified log.
type result struct {
	Origin string `json:"origin"`
	Size   int64  `json:"size"`
	Root   string `json:"root"`
	// Older is the size of the older checkpoint that is a prefix of the log; 0 without -older.
	Older int64 `json:"older"`
	// Entries has the text of each entry, in order.
	Entries []string `json:"entries"`
}

func main() {
	address := flag.String("log", "", "the `URL` of the log")
	key := flag.String("key", "", "the verifier key of the log")
	older := flag.String("older", "", "a `file` with an older checkpoint")
	flag.Parse()
	found, err := walk(remote(*address), *key, *older)
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(found)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// walk verifies the checkpoint, that the older checkpoint is a prefix of the log, and every entry and tile.
func walk(log remote, key, olderFile string) (*result, error) {
	verifier, err := note.NewVerifier(key)
	if err != nil {
		return nil, err
	}
	current, err := log.read("checkpoint")
	if err != nil {
		return nil, err
	}
	tree, err := open(current, verifier)
	if err != nil {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	hashes := tlog.TileHashReader(tree, log)
	found := &result{Origin: verifier.Name(), Size: tree.N, Root: tree.Hash.String()}
	if olderFile != "" {
		if found.Older, err = checkOlder(olderFile, verifier, tree, hashes); err != nil {
			return nil, fmt.Errorf("older checkpoint: %w", err)
		}
	}
	if found.Entries, err = checkEntries(log, tree, hashes); err != nil {
		return nil, err
	}
	return found, nil
}

// open verifies the signature of a checkpoint and returns its tree.
func open(checkpoint []byte, verifier note.Verifier) (tlog.Tree, error) {
	var tree tlog.Tree
	opened, err := note.Open(checkpoint, note.VerifierList(verifier))
	if err != nil {
		return tree, err
	}
	lines := strings.Split(opened.Text, "\n")
	if len(lines) != 4 || lines[0] != verifier.Name() || lines[3] != "" {
		return tree, fmt.Errorf("%q is not a checkpoint of %s", opened.Text, verifier.Name())
	}
	if tree.N, err = strconv.ParseInt(lines[1], 10, 64); err != nil {
		return tree, err
	}
	tree.Hash, err = tlog.ParseHash(lines[2])
	return tree, err
}

// checkOlder verifies that the tree of an older checkpoint is a prefix of the tree, and returns its size.
func checkOlder(file string, verifier note.Verifier, tree tlog.Tree, hashes tlog.HashReader) (int64, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	older, err := open(text, verifier)
	if err != nil {
		return 0, err
	}
	proof, err := tlog.ProveTree(tree.N, older.N, hashes)
	if err != nil {
		return 0, err
	}
	return older.N, tlog.CheckTree(proof, tree.N, tree.Hash, older.N, older.Hash)
}

// checkEntries reads every entry, and verifies that its hash is the hash in the tree. hashes verifies each tile of hashes.
func checkEntries(log remote, tree tlog.Tree, hashes tlog.HashReader) ([]string, error) {
	entries := make([]string, 0, tree.N)
	for first := int64(0); first < tree.N; first += tileWidth {
		width := int(min(tileWidth, tree.N-first))
		bundle, err := log.readTile(tlog.Tile{H: tileHeight, L: entriesLevel, N: first / tileWidth, W: width})
		if err != nil {
			return nil, err
		}
		places := make([]int64, 0, width)
		for index := first; index < first+int64(width); index++ {
			places = append(places, tlog.StoredHashIndex(0, index))
		}
		stored, err := hashes.ReadHashes(places)
		if err != nil {
			return nil, err
		}
		for _, hash := range stored {
			var entry []byte
			if entry, bundle, err = cut(bundle); err != nil {
				return nil, fmt.Errorf("entry %d: %w", len(entries), err)
			}
			if tlog.RecordHash(entry) != hash {
				return nil, fmt.Errorf("entry %d is not the entry in the tree", len(entries))
			}
			entries = append(entries, string(entry))
		}
		if len(bundle) > 0 {
			return nil, fmt.Errorf("%d bytes follow entry %d", len(bundle), len(entries)-1)
		}
	}
	return entries, nil
}

// cut returns the first entry of a bundle, which begins with its length in two bytes, and the rest of the bundle.
func cut(bundle []byte) (entry, rest []byte, err error) {
	if len(bundle) < 2 {
		return nil, nil, errors.New("the bundle has no length")
	}
	end := 2 + int(binary.BigEndian.Uint16(bundle))
	if len(bundle) < end {
		return nil, nil, errors.New("the bundle is too short")
	}
	return bundle[2:end], bundle[end:], nil
}

// remote is the URL of a log. It reads tiles for tlog, which verifies them against the root of the tree.
type remote string

func (r remote) Height() int { return tileHeight }

func (r remote) SaveTiles([]tlog.Tile, [][]byte) {}

func (r remote) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	read := make([][]byte, 0, len(tiles))
	for _, tile := range tiles {
		hashes, err := r.readTile(tile)
		if err != nil {
			return nil, err
		}
		read = append(read, hashes)
	}
	return read, nil
}

// readTile reads a tile. Unlike tlog, the paths of C2SP tlog-tiles have no height, and "entries" instead of "data".
func (r remote) readTile(tile tlog.Tile) ([]byte, error) {
	path := strings.Replace(tile.Path(), "tile/8/", "tile/", 1)
	return r.read(strings.Replace(path, "tile/data/", "tile/entries/", 1))
}

func (r remote) read(path string) ([]byte, error) {
	request, err := http.NewRequest(http.MethodGet, string(r)+path, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("TOKEN"))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", path, response.Status)
	}
	return io.ReadAll(response.Body)
}
