import { expect, test } from 'vitest'
import { annotationsOf } from './annotations.ts'

const cited = (title: string, url: string | null) => ({
  source_id: '0197f3f0-0000-7000-8000-000000000000',
  title,
  url,
  page: null,
  heading: '',
  passage: title,
  score: 1,
})

const two = [cited('One', 'https://example.com/1'), cited('Two', null)]

test('each mark of a passage is an annotation with the place of the mark, in code points', () => {
  const text = '🙂 yes [1], no [3], yes [1].'
  const places = annotationsOf(text, two).map(({ title, start_index: start, end_index: end }) => [
    title,
    [...text].slice(start, end).join(''),
  ])
  expect(places).toEqual([
    ['One', '[1]'],
    ['Two', '[3]'],
    ['One', '[1]'],
  ])
})

test('a mark belongs to the citation of its number, and other numbers in brackets to none', () => {
  const numbered = [
    { ...cited('One', null), number: 2 },
    { ...cited('Two', null), number: 5 },
  ]
  const places = annotationsOf('In [1984] [5], not [1], [2].', numbered)
  expect(places.map(({ title, start_index: start }) => [title, start])).toEqual([
    ['Two', 10],
    ['One', 24],
  ])
  // The answer marks one of them only.
  expect(annotationsOf('See [5].', numbered)).toMatchObject([{ title: 'Two', start_index: 4 }])
})

test('citations that the text does not mark cover all of it; a source without an address is named by its id', () => {
  expect(annotationsOf('Yes.', two)).toEqual([
    {
      type: 'url_citation',
      title: 'One',
      url: 'https://example.com/1',
      start_index: 0,
      end_index: 4,
    },
    {
      type: 'url_citation',
      title: 'Two',
      url: 'urn:uuid:0197f3f0-0000-7000-8000-000000000000',
      start_index: 0,
      end_index: 4,
    },
  ])
})
