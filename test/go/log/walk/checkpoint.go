package main

import (
	"fmt"
	"strconv"
	"strings"

	cosignature "github.com/transparency-dev/formats/note"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// signed is a checkpoint whose signature was verified.
type signed struct {
	raw       []byte
	origin    string
	verifier  note.Verifier
	tree      tlog.Tree
	cosigners []string
}

// open verifies a checkpoint. The log and all witnesses must have signed it.
func open(raw []byte, key string, witnesses []string) (*signed, error) {
	verifier, err := note.NewVerifier(key)
	if err != nil {
		return nil, err
	}
	opened, err := note.Open(raw, note.VerifierList(verifier))
	if err != nil {
		return nil, err
	}
	checkpoint := &signed{raw: raw, verifier: verifier, cosigners: []string{}}
	for _, witness := range witnesses {
		cosigner, err := cosignature.NewVerifierForCosignatureV1(witness)
		if err != nil {
			return nil, err
		}
		if _, err := note.Open(raw, note.VerifierList(cosigner)); err != nil {
			return nil, fmt.Errorf("witness %s: %w", cosigner.Name(), err)
		}
		checkpoint.cosigners = append(checkpoint.cosigners, cosigner.Name())
	}
	lines := strings.Split(opened.Text, "\n")
	if len(lines) != 4 || lines[3] != "" {
		return nil, fmt.Errorf("%d lines in %q", len(lines)-1, opened.Text)
	}
	checkpoint.origin = lines[0]
	if checkpoint.origin != verifier.Name() {
		return nil, fmt.Errorf("the origin is %s, but the name of the key is %s", checkpoint.origin, verifier.Name())
	}
	if checkpoint.tree.N, err = strconv.ParseInt(lines[1], 10, 64); err != nil {
		return nil, err
	}
	if checkpoint.tree.Hash, err = tlog.ParseHash(lines[2]); err != nil {
		return nil, err
	}
	return checkpoint, nil
}
