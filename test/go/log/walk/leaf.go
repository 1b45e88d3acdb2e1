package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/transparency-dev/tessera/client"
)

// leaf is the content of an entry, as docs/auditing.md describes it.
type leaf struct {
	V             json.Number     `json:"v"`
	Stream        string          `json:"stream"`
	Revision      json.Number     `json:"revision"`
	ID            string          `json:"id"`
	Type          string          `json:"type"`
	Metadata      json.RawMessage `json:"metadata"`
	PayloadSha256 string          `json:"payloadSha256"`
}

const uuid = `[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`

var (
	isStream   = regexp.MustCompile(`^[A-Za-z]+-` + uuid + `$`)
	isID       = regexp.MustCompile(`^` + uuid + `$`)
	isRevision = regexp.MustCompile(`^(0|[1-9][0-9]*)$`)
	isType     = regexp.MustCompile(`^[A-Z][A-Za-z]+$`)
	isDigest   = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// readLeaves reads the entries of a tree with this size. Each entry must have the documented form.
func readLeaves(ctx context.Context, fetcher *client.HTTPFetcher, size int64) ([]leaf, error) {
	leaves := make([]leaf, 0, size)
	for first := int64(0); first < size; first += tileWidth {
		bundle, err := readBundle(ctx, fetcher, first/tileWidth, size)
		if err != nil {
			return nil, err
		}
		for _, entry := range bundle {
			parsed, err := parseLeaf(entry)
			if err != nil {
				return nil, fmt.Errorf("entry %d: %w: %s", len(leaves), err, entry)
			}
			leaves = append(leaves, parsed)
		}
	}
	return leaves, nil
}

func parseLeaf(entry []byte) (leaf, error) {
	var parsed leaf
	decoder := json.NewDecoder(bytes.NewReader(entry))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&parsed); err != nil {
		return parsed, err
	}
	canonical, err := canonicalJSON(entry)
	if err != nil {
		return parsed, err
	}
	switch {
	case !bytes.Equal(canonical, entry):
		return parsed, fmt.Errorf("not the canonical form, which is %s", canonical)
	case parsed.V != "1":
		return parsed, fmt.Errorf("v is %s", parsed.V)
	case !isStream.MatchString(parsed.Stream), !isRevision.MatchString(parsed.Revision.String()):
		return parsed, fmt.Errorf("stream %q, revision %s", parsed.Stream, parsed.Revision)
	case !isID.MatchString(parsed.ID), !isType.MatchString(parsed.Type), !isDigest.MatchString(parsed.PayloadSha256):
		return parsed, fmt.Errorf("id %q, type %q, digest %q", parsed.ID, parsed.Type, parsed.PayloadSha256)
	case !bytes.HasPrefix(parsed.Metadata, []byte("{")):
		return parsed, fmt.Errorf("metadata %s", parsed.Metadata)
	}
	return parsed, nil
}

// canonicalJSON returns the canonical form of JSON (RFC 8785). Go sorts the keys of a map. Numbers stay unchanged, which is
// canonical for integers.
func canonicalJSON(text []byte) ([]byte, error) {
	var value any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	var written bytes.Buffer
	encoder := json.NewEncoder(&written)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(written.Bytes(), []byte("\n")), nil
}
