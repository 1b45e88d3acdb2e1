package main

import (
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/transparency-dev/tessera/client"
	"golang.org/x/mod/sumdb/tlog"
)

const (
	tileHeight = 8
	tileWidth  = 1 << tileHeight
)

// tiles reads the tiles of the log for tlog, which verifies each tile against the root of the tree.
type tiles struct {
	ctx     context.Context
	fetcher *client.HTTPFetcher
}

func (t tiles) Height() int { return tileHeight }

func (t tiles) SaveTiles([]tlog.Tile, [][]byte) {}

func (t tiles) ReadTiles(wanted []tlog.Tile) ([][]byte, error) {
	read := make([][]byte, 0, len(wanted))
	for _, tile := range wanted {
		data, err := t.fetcher.ReadTile(t.ctx, uint64(tile.L), uint64(tile.N), uint8(tile.W%tileWidth))
		if err != nil {
			return nil, err
		}
		if full := tile.W * sha256.Size; len(data) > full {
			data = data[:full]
		}
		read = append(read, data)
	}
	return read, nil
}

// checkWithTlog verifies that the older checkpoint is a prefix of the log, and that the log includes the first and last leaf of
// each tile.
func checkWithTlog(ctx context.Context, fetcher *client.HTTPFetcher, checkpoint, older *signed) error {
	tree := checkpoint.tree
	hashes := tlog.TileHashReader(tree, tiles{ctx, fetcher})
	if older != nil {
		proof, err := tlog.ProveTree(tree.N, older.tree.N, hashes)
		if err != nil {
			return err
		}
		if err := tlog.CheckTree(proof, tree.N, tree.Hash, older.tree.N, older.tree.Hash); err != nil {
			return fmt.Errorf("consistency of %d and %d: %w", older.tree.N, tree.N, err)
		}
	}
	for _, index := range ends(tree.N) {
		proof, err := tlog.ProveRecord(tree.N, index, hashes)
		if err != nil {
			return err
		}
		bundle, err := readBundle(ctx, fetcher, index/tileWidth, tree.N)
		if err != nil {
			return err
		}
		entry := bundle[index%tileWidth]
		if err := tlog.CheckRecord(proof, tree.N, tree.Hash, index, tlog.RecordHash(entry)); err != nil {
			return fmt.Errorf("inclusion of %d in %d: %w", index, tree.N, err)
		}
	}
	return nil
}

// ends returns the first and the last index of each tile.
func ends(size int64) []int64 {
	var found []int64
	for first := int64(0); first < size; first += tileWidth {
		found = append(found, first, min(first+tileWidth, size)-1)
	}
	return found
}
