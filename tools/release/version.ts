/** A refusal to prepare a release: one line. */
export class ReleaseError extends Error {
  override readonly name = 'ReleaseError'
}

type Version = readonly [number, number, number]

/** @throws ReleaseError */
export function parseVersion(text: string): Version {
  const match = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/.exec(text)
  if (match === null)
    throw new ReleaseError(`${text} is not a version: use three numbers, as 1.2.3`)
  const [, major = '', minor = '', patch = ''] = match
  return [Number(major), Number(minor), Number(patch)]
}

export function isLater(version: string, than: string): boolean {
  const [a, b] = [parseVersion(version), parseVersion(than)]
  const [first] = [0, 1, 2].filter((at) => a[at] !== b[at])
  return first !== undefined && (a[first] ?? 0) > (b[first] ?? 0)
}

/**
 * Whether callers must expect incompatible changes: a new major version, or before 1.0.0 a new minor
 * version (semver.org, §4 and §8).
 */
export function allowsRemovals(version: string, before: string): boolean {
  const [[major, minor], [majorBefore, minorBefore]] = [parseVersion(version), parseVersion(before)]
  return major > majorBefore || (majorBefore === 0 && minor > minorBefore)
}
