package main

import (
	"context"
	"fmt"

	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"github.com/transparency-dev/tessera/api"
	"github.com/transparency-dev/tessera/client"
	"github.com/transparency-dev/tessera/fsck"
)

// checkWithTessera verifies the whole log. It hashes every entry of every bundle, rebuilds the tree and compares each tile and
// the root. It verifies the consistency of the older and the current checkpoint, and the inclusion of every entry.
func checkWithTessera(ctx context.Context, fetcher *client.HTTPFetcher, checkpoint, older *signed) error {
	// The log may grow meanwhile. The checks read the tree of the opened checkpoint.
	fixed := pinned{fetcher, checkpoint.raw}
	if err := fsck.New(checkpoint.origin, checkpoint.verifier, fixed, leafHashes, fsck.Opts{N: 2}).Check(ctx); err != nil {
		return err
	}
	if older != nil {
		consensus := client.UnilateralConsensus(fixed.ReadCheckpoint)
		tracker, err := client.NewLogStateTracker(ctx, fetcher.ReadTile, older.raw, checkpoint.verifier, checkpoint.origin, consensus)
		if err != nil {
			return err
		}
		if _, _, _, err := tracker.Update(ctx); err != nil {
			return err
		}
		if latest := tracker.Latest(); int64(latest.Size) != max(older.tree.N, checkpoint.tree.N) {
			return fmt.Errorf("the tracker is at size %d", latest.Size)
		}
	}
	size := uint64(checkpoint.tree.N)
	builder, err := client.NewProofBuilder(ctx, size, fetcher.ReadTile)
	if err != nil {
		return err
	}
	hashes, err := client.FetchLeafHashes(ctx, fetcher.ReadTile, 0, size, size)
	if err != nil {
		return err
	}
	for index, hash := range hashes {
		path, err := builder.InclusionProof(ctx, uint64(index))
		if err != nil {
			return err
		}
		err = proof.VerifyInclusion(rfc6962.DefaultHasher, uint64(index), size, hash, path, checkpoint.tree.Hash[:])
		if err != nil {
			return fmt.Errorf("inclusion of %d in %d: %w", index, size, err)
		}
	}
	return nil
}

// pinned reads a log at a fixed checkpoint.
type pinned struct {
	*client.HTTPFetcher
	checkpoint []byte
}

func (p pinned) ReadCheckpoint(context.Context) ([]byte, error) { return p.checkpoint, nil }

func leafHashes(bundle []byte) ([][]byte, error) {
	var entries api.EntryBundle
	if err := entries.UnmarshalText(bundle); err != nil {
		return nil, err
	}
	hashes := make([][]byte, 0, len(entries.Entries))
	for _, entry := range entries.Entries {
		hashes = append(hashes, rfc6962.DefaultHasher.HashLeaf(entry))
	}
	return hashes, nil
}

func readBundle(ctx context.Context, fetcher *client.HTTPFetcher, index, size int64) ([][]byte, error) {
	bundle, err := client.GetEntryBundle(ctx, fetcher.ReadEntryBundle, uint64(index), uint64(size))
	return bundle.Entries, err
}
