// Package rfc6962 names the hash function of RFC 6962.
package rfc6962

import "crypto/sha256"

// Hasher hashes as RFC 6962 says, with SHA-256.
type Hasher struct{}

// DefaultHasher is the only Hasher.
var DefaultHasher Hasher

// EmptyRoot returns the root of a tree without leaves.
func (Hasher) EmptyRoot() []byte {
	root := sha256.Sum256(nil)
	return root[:]
}
