import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ReleaseCopy } from './release-copy.ts'

const digest = `sha256:${'ab'.repeat(32)}`

/** Each notes its arguments; helm and cosign also write their files. */
const standIns = {
  helm: 'touch "$4/parley-7.0.0.tgz"',
  cosign: '[ "$1" != sign-blob ] || touch "$4"',
  gh: '[ -s notes.md ]',
}

test('the steps of a release publish the SBOM, the chart and a signature of each, and name the image', async () => {
  const copy = await ReleaseCopy.create()
  await copy.changeTools((tools) => [...tools, { name: 'new_tool', inputSchema: {} }])
  expect((await copy.release('7.0.0')).code).toBe(0)
  const { environment, calls } = await programsOf(copy)
  await copy.step('prepare.sh', ['v7.0.0'], environment)
  expect(await readdir(join(copy.folder, 'release'))).toEqual([
    'parley-7.0.0.tgz',
    'parley.cdx.json',
  ])
  const sbom = JSON.parse(await copy.read('release/parley.cdx.json'))
  expect(sbom).toMatchObject({
    bomFormat: 'CycloneDX',
    metadata: { component: { name: 'parley' } },
  })
  await copy.step('sign.sh', ['v7.0.0'], {
    ...environment,
    IMAGE: 'registry.example.com/parley',
    DIGEST: digest,
  })
  await copy.step('publish.sh', ['v7.0.0'], environment)
  const image = `registry.example.com/parley@${digest}`
  const [chart, sbomFile] = ['release/parley-7.0.0.tgz', 'release/parley.cdx.json']
  expect(await calls()).toEqual([
    'helm package deploy/chart --destination release',
    `cosign sign --yes ${image}`,
    `cosign attest --yes --type cyclonedx --predicate ${sbomFile} ${image}`,
    `cosign sign-blob --yes --bundle ${chart}.sigstore.json ${chart}`,
    `cosign sign-blob --yes --bundle ${sbomFile}.sigstore.json ${sbomFile}`,
    `gh release create v7.0.0 --verify-tag --title Parley 7.0.0 --notes-file notes.md ${chart} ${chart}.sigstore.json ${sbomFile} ${sbomFile}.sigstore.json`,
  ])
  const notes = await copy.read('notes.md')
  expect(notes).toContain('added: `new_tool`')
  expect(notes).toMatch(/\nImage: `registry\.example\.com\/parley:7\.0\.0@sha256:(?:ab){32}`\n$/)
})

test('a release whose signature fails is not published', async () => {
  const copy = await ReleaseCopy.create()
  await copy.changeTools((tools) => [...tools, { name: 'new_tool', inputSchema: {} }])
  await copy.release('7.0.0')
  const { environment, calls } = await programsOf(copy, { cosign: '[ "$1" != attest ]' })
  await copy.step('prepare.sh', ['v7.0.0'], environment)
  const signed = copy.step('sign.sh', ['v7.0.0'], {
    ...environment,
    IMAGE: 'parley',
    DIGEST: digest,
  })
  await expect(signed).rejects.toThrow('Command failed')
  expect((await calls()).filter((call) => call.includes('sign-blob'))).toEqual([])
  expect(await copy.read('notes.md')).not.toContain('Image:')
  // Without what was pushed, nothing is signed.
  const unnamed = copy.step('sign.sh', ['v7.0.0'], { ...environment, IMAGE: '', DIGEST: '' })
  await expect(unnamed).rejects.toThrow('IMAGE: the name of the image')
})

/** Programs that stand in for those of the workflow, before all others in the path. */
async function programsOf(copy: ReleaseCopy, others: Partial<typeof standIns> = {}) {
  const folder = join(copy.folder, '.git/programs')
  const log = join(copy.folder, '.git/calls')
  await mkdir(folder)
  for (const [name, code] of Object.entries({ ...standIns, ...others })) {
    const file = join(folder, name)
    await writeFile(file, `#!/bin/sh\nset -eu\necho "${name} $*" >> "${log}"\n${code}\n`)
    await chmod(file, 0o755)
  }
  return {
    environment: { PATH: `${folder}:${process.env.PATH}` },
    calls: async () => (await readFile(log, 'utf8')).trim().split('\n'),
  }
}
