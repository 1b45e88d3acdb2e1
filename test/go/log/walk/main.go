// Command walk verifies a transparency log over HTTP with libraries that the service does not use: the signed note and the
// Merkle tree of the Go project (golang.org/x/mod/sumdb) and the client of transparency-dev/tessera. It prints the verified
// log as JSON. If a check fails, it prints the reason to standard error and exits with 1.
//
//	TOKEN=… walk -log http://localhost:3000/audit/log/ -key VKEY [-older FILE] [-witness VKEY]…
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"

	"github.com/transparency-dev/tessera/client"
	"k8s.io/klog/v2"
)

// result describes the verified log.
type result struct {
	Origin string `json:"origin"`
	Size   int64  `json:"size"`
	Root   string `json:"root"`
	// Older is the size of the older checkpoint that is a prefix of the log; 0 without -older.
	Older int64 `json:"older"`
	// Cosigners are the names of the witnesses whose cosignatures verify.
	Cosigners []string `json:"cosigners"`
	// Leaves has the entries of the log, in order.
	Leaves []leaf `json:"leaves"`
}

type names []string

func (n *names) String() string { return fmt.Sprint(*n) }

func (n *names) Set(value string) error {
	*n = append(*n, value)
	return nil
}

func main() {
	address := flag.String("log", "", "the `URL` of the log")
	key := flag.String("key", "", "the verifier key of the log")
	older := flag.String("older", "", "a `file` with an older checkpoint")
	var witnesses names
	flag.Var(&witnesses, "witness", "the verifier `key` of a witness whose cosignature the checkpoint must have")
	flag.Parse()
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	found, err := walk(context.Background(), *address, *key, *older, witnesses)
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(found)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func walk(ctx context.Context, address, key, olderFile string, witnesses []string) (*result, error) {
	root, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	fetcher, err := client.NewHTTPFetcher(root, http.DefaultClient)
	if err != nil {
		return nil, err
	}
	fetcher.SetAuthorizationHeader("Bearer " + os.Getenv("TOKEN"))
	current, err := fetcher.ReadCheckpoint(ctx)
	if err != nil {
		return nil, err
	}
	checkpoint, err := open(current, key, witnesses)
	if err != nil {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	found := &result{
		Origin: checkpoint.origin, Size: checkpoint.tree.N, Root: checkpoint.tree.Hash.String(), Cosigners: checkpoint.cosigners,
	}
	var older *signed
	if olderFile != "" {
		text, err := os.ReadFile(olderFile)
		if err != nil {
			return nil, err
		}
		if older, err = open(text, key, nil); err != nil {
			return nil, fmt.Errorf("older checkpoint: %w", err)
		}
		found.Older = older.tree.N
	}
	if err := checkWithTlog(ctx, fetcher, checkpoint, older); err != nil {
		return nil, fmt.Errorf("tlog: %w", err)
	}
	if err := checkWithTessera(ctx, fetcher, checkpoint, older); err != nil {
		return nil, fmt.Errorf("tessera: %w", err)
	}
	if found.Leaves, err = readLeaves(ctx, fetcher, checkpoint.tree.N); err != nil {
		return nil, fmt.Errorf("leaves: %w", err)
	}
	return found, nil
}
