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
        titles: ['damaged', 'too large', 'with too much text', 'beyond MAX_CHAT_FILES'],
      },
    ],
  },
]
