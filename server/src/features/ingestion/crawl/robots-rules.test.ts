import { describe, expect, test } from 'vitest'
import { fitsGlob, readRobots } from './robots-rules.ts'

function allows(text: string, path: string): boolean {
  return readRobots(text).allows(new URL(path, 'https://example.com'))
}

describe('robots.txt', () => {
  test.each([
    ['User-agent: *\nDisallow: /a', '/a/b', false],
    ['User-agent: *\nDisallow: /a', '/b', true],
    ['User-agent: *\nDisallow:', '/a', true],
    ['User-agent: *\nDisallow: /', '/', false],
    ['User-agent: *\nDisallow: /a\nAllow: /a/open', '/a/open/x', true],
    ['User-agent: *\nDisallow: /a\nAllow: /a', '/a', true],
    ['User-agent: *\nDisallow: /*.pdf$', '/x/y.pdf', false],
    ['User-agent: *\nDisallow: /*.pdf$', '/x/y.pdf?z', true],
    ['User-agent: *\nDisallow: /*?q=', '/find?q=1', false],
    ['User-agent: other\nDisallow: /', '/a', true],
    ['User-agent: PARLEY\nDisallow: /\n\nUser-agent: *\nAllow: /', '/a', false],
    ['User-agent: parley\nUser-agent: other\nDisallow: /a # why', '/a', false],
    ['<html>not found</html>', '/a', true],
  ])('%j lets us read %s: %s', (text, path, expected) => {
    expect(allows(text, path)).toBe(expected)
  })

  test('may set a pause between requests of up to five seconds', () => {
    expect(readRobots('User-agent: *\nCrawl-delay: 2').delayMs).toBe(2000)
    expect(readRobots('User-agent: *\nCrawl-delay: 999').delayMs).toBe(5000)
  })
})

describe('a pattern', () => {
  test.each([
    ['/a*', '/abc', true],
    ['*c', '/abc', true],
    ['/a*a', '/a', false],
    ['/a', '/ab', false],
    ['*b*', '/abc', true],
  ])('%s matches %s: %s', (pattern, text, expected) => {
    expect(fitsGlob(pattern, text)).toBe(expected)
  })

  test('that is adversarial is matched in linear time', () => {
    const startedAt = performance.now()
    expect(fitsGlob(`${'*a'.repeat(5000)}b`, 'a'.repeat(20_000))).toBe(false)
    expect(performance.now() - startedAt).toBeLessThan(1000)
  })
})
