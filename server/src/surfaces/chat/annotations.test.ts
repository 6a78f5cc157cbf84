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
