import type { Attack } from './attack.ts'

const file = 'src/surfaces/chat/files/files.test.ts'

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
  {
    attack: 'Files of a request without credits, or beyond the rate limit of the agent',
    defence: 'They are loaded after the turn is counted and its credits are reserved',
    tests: [
      {
        file: 'src/surfaces/chat/files/file-bounds.test.ts',
        titles: [
          'are not fetched without credits, whatever reads them',
          'are not fetched beyond the rate limit of the agent, whatever reads them',
        ],
      },
    ],
  },
  {
    attack: 'Uploaded files: ids of other agents, and downloads that a browser runs',
    defence:
      'A file is found with the agent of the key; a download has no type, and its name is encoded',
    tests: [
      {
        file: 'src/surfaces/chat/files/uploaded-files.test.ts',
        titles: [
          'of another agent are unknown',
          'are downloads that no browser runs, whatever they are and are called',
        ],
      },
    ],
  },
  {
    attack: 'Uploads: broken forms, huge headers, more than fits, slow or many at once',
    defence:
      'Bytes are stored as they arrive, count while they arrive, and are deleted if the form is refused',
    tests: [
      {
        file: 'src/surfaces/chat/files/upload-refused.test.ts',
        titles: [
          'that ends in its file',
          'is read in little time, and its name is cut',
          'beyond MAX_CHAT_FILE_BYTES, declared or not, over a socket',
          'beyond `files_per_agent`, which deleting a file frees',
          'beyond the stored bytes of the workspace, which count while they arrive',
          'while CHAT_UPLOADS_AT_ONCE others arrive and as many may wait',
        ],
      },
    ],
  },
]
