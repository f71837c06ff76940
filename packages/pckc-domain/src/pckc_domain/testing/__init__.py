"""What adapters are tested with: contract suites, the memory adapter, fakes and Hypothesis strategies."""
