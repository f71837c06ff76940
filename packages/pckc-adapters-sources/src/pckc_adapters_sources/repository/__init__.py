"""Reads git work trees and plain folders."""
