"""The PCKC core: claims, proofs, passages, policies, ports and use cases, without I/O."""
