"""PCKC embedders that run in process, with the model inside a package."""
