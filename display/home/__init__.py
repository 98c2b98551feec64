"""The landing page of a relay: which links and signs it passes on."""
