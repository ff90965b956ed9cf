"""Pictures of trees and paths; matplotlib is imported where it is used."""
