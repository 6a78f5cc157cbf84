import { describe, expect, test } from 'vitest'
import { commerceSettings } from '#features/catalog/index.ts'
import { rateFor } from './tax.ts'

/** The percentage for an address, by rates of which the last fits no state. */
function percentAt(country: string, state: string, ofRate: object): number | undefined {
  const rates = [{ percent: 9, ...ofRate }, { percent: 1 }]
  const { tax } = commerceSettings.parse({ tax: { rates } })
  return rateFor(tax, { country, state }, null)?.percent
}

describe('the state of an address', () => {
  test.each([
    ['US', 'CA', ['CA', 'ca', ' Ca ', 'US-CA', 'us-ca', 'US CA', 'California', 'CALIFORNIA']],
    ['US', 'NC', ['North Carolina', 'north  carolina', 'US-NC', 'N.C.']],
    ['US', 'DC', ['District of Columbia', 'Washington, D.C.', 'D.C.']],
    ['US', 'VI', ['U.S. Virgin Islands', 'US Virgin Islands', 'Virgin Islands']],
    ['CA', 'QC', ['QC', 'Québec', 'quebec', 'CA-QC']],
    ['CA', 'NL', ['Newfoundland and Labrador', 'Newfoundland & Labrador', 'CA-NL']],
    ['AU', 'NSW', ['New South Wales', 'AU-NSW', 'nsw']],
    ['DE', 'BAYERN', ['Bayern', 'DE-Bayern']],
    ['BR', 'São Paulo', ['Sao Paulo', 'SÃO PAULO']],
    ['ES', '08', ['08', 'ES-08']],
  ])('%s, a rate for %s: the same in all of %j', (country, state, written) => {
    for (const one of written) expect(percentAt(country, one, { country, state })).toBe(9)
  })

  test('may be written in any form in the rate and in the address', () => {
    for (const state of ['CA', 'us-ca', 'California'])
      for (const written of ['CA', 'US-CA', 'california'])
        expect(percentAt('US', written, { country: 'US', state })).toBe(9)
  })

  test.each([
    ['US', 'Oregon', { country: 'US', state: 'CA' }],
    ['US', '', { country: 'US', state: 'CA' }],
    ['US', 'Virginia', { country: 'US', state: 'WV' }],
    ['US', 'Washington', { country: 'US', state: 'DC' }],
    ['AU', 'Western Australia', { country: 'US', state: 'WA' }],
    ['DE', 'California', { state: 'CA' }],
    ['CA', 'US-CA', { state: 'CA' }],
  ])('%s %j is not in %j', (country, state, rate) => {
    expect(percentAt(country, state, rate)).toBe(1)
  })

  test('the same code means different states in different countries', () => {
    expect(percentAt('US', 'Washington', { country: 'US', state: 'WA' })).toBe(9)
    expect(percentAt('AU', 'Western Australia', { country: 'AU', state: 'WA' })).toBe(9)
    expect(percentAt('CA', 'Northwest Territories', { country: 'CA', state: 'NT' })).toBe(9)
  })
})
