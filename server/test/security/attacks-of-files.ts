import type { Attack } from './attack.ts'

const file = 'src/surfaces/chat/files.test.ts'

/** Attacks by the files of chat requests. */
export const fileAttacks: readonly Attack[] = [
  {
    attack: 'Files of a chat request: private addresses, and what their errors reveal',
    defence: 'Addresses go through the outbound port; every failure has one message',
    tests: [{ file, titles: ['at a private address', 'at another scheme'] }],
  },
  {
    attack: 'Files of a chat request: damaged, huge or many files',
    defence: 'A bounded worker reads them in slots that workspaces share; all sizes have limits',
    tests: [
      {
        file,
        titles: [
          'damaged',
          'too large',
          'with too much text',
          'with too much text together',
          'beyond MAX_CHAT_FILES',
        ],
      },
    ],
  },
  {
    attack: 'Files of a chat request: many passages, or long headings that each passage repeats',
    defence:
      'Each passage counts with its headings and 50 characters more, is sent in batches, and is searched in slices of time',
    tests: [
      {
        file: 'src/features/files/file-worker.test.ts',
        titles: [
          'headings, which each passage repeats, count against the limit',
          'a file of short sections has a limited number of passages',
          'a batch has at most 200 passages',
        ],
      },
      {
        file: 'src/features/files/quote-files.test.ts',
        titles: ['a hundred thousand chunks are searched in short turns of the event loop'],
      },
    ],
  },
  {
    attack:
      'Files of a chat request: servers that answer slowly, to keep others from reading files',
    defence: 'A download holds no slot, and all files of a request have a time limit',
    tests: [
      {
        file,
        titles: ['hold no slot while they are fetched', 'are loaded and read for a limited time'],
      },
    ],
  },
]
