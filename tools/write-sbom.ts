import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withoutDevelopment } from './release/sbom.ts'

/**
 * Writes what is in the image and its dashboard as CycloneDX: `node tools/write-sbom.ts FILE`. It reads
 * the lock file and needs no installed packages. Node's builds for all platforms are listed.
 */
const [, , file = 'sbom.cdx.json'] = process.argv
const root = join(import.meta.dirname, '..')
const options = [
  '--sbom-format=cyclonedx',
  '--sbom-type=application',
  '--package-lock-only',
  // Clients that only tests use ask for older peers than they get here; npm would refuse to list them.
  '--legacy-peer-deps',
]
const written = execFileSync('npm', ['sbom', ...options], {
  cwd: root,
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
  stdio: ['ignore', 'pipe', 'inherit'],
})
const sbom = withoutDevelopment(JSON.parse(written))
writeFileSync(file, `${JSON.stringify(sbom, null, 2)}\n`)
process.stdout.write(`${file}: ${sbom.components.length} packages\n`)
