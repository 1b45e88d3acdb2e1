// Package rfc6962 provides the hash function of RFC 6962.
package rfc6962

import "crypto/sha256"

// Hasher hashes with SHA-256, as RFC 6962 requires.
type Hasher struct{}

// DefaultHasher is the only Hasher.
var DefaultHasher Hasher

// EmptyRoot returns the root of a tree without leaves.
func (Hasher) EmptyRoot() []byte {
	root := sha256.Sum256(nil)
	return root[:]
}
