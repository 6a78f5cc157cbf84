import fc from 'fast-check'

/** Pieces that change an address if they are put into one as they are. */
const piece = fc.constantFrom(
  '..',
  '.',
  '/',
  '//',
  '\\',
  '?',
  '#',
  '%2e',
  '%2F',
  '%2D',
  '%',
  ':',
  ':generateContent',
  '@',
  'models',
  'tunedModels/x',
  'gemini-2.5-pro',
  'admin',
  'Gpt',
  ' ',
  '\n',
  '\t',
  '\u0000',
  'é',
  '．',
  '／',
)

/** Names of models that try to reach another path, and ordinary ones among them. */
export const hostileModelName = fc.oneof(
  fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join('')),
  fc.string({ minLength: 1, maxLength: 40 }),
)
