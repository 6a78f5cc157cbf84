#!/bin/sh
# Signs the pushed image and every file of `release` without a key, attaches the SBOM to the image, and
# adds the image to notes.md:
#
#   IMAGE=registry.example.com/parley DIGEST=sha256:… tools/release/sign.sh v1.2.3
#
# .github/workflows/release.yml runs it. It needs cosign and the identity of the workflow.
set -eu
tag=${1:?usage: sign.sh TAG}
: "${IMAGE:?the name of the image, with its registry}" "${DIGEST:?what was pushed}"
cd "$(dirname "$0")/../.."
cosign sign --yes "$IMAGE@$DIGEST"
cosign attest --yes --type cyclonedx --predicate release/parley.cdx.json "$IMAGE@$DIGEST"
for file in release/*; do
  cosign sign-blob --yes --bundle "$file.sigstore.json" "$file"
done
# The backticks are Markdown's.
# shellcheck disable=SC2016
printf '\nImage: `%s:%s@%s`\n' "$IMAGE" "${tag#v}" "$DIGEST" >>notes.md
