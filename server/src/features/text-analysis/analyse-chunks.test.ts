import { expect, test } from 'vitest'
import { analyse } from '#features/text-analysis/index.ts'
import { termsOfChunk } from './analyse-chunks.ts'

test('a text in another language than German has unmarked terms', () => {
  const heading = 'Prices of houses'
  for (const text of ['The prices are in the list of houses.', '北京大学', 'كتاب', 'la plage']) {
    const { headingTerms, bodyTerms } = termsOfChunk('Paper', { heading, text })
    expect(headingTerms).toEqual([...analyse('Paper'), ...analyse(heading)])
    expect(bodyTerms).toEqual(analyse(text))
  }
})
