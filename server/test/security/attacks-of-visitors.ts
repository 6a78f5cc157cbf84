import type { Attack } from './attack.ts'

const surface = 'src/surfaces/public'

/** Attacks on chat pages, and by their visitors. */
export const visitorAttacks: readonly Attack[] = [
  {
    attack: 'Chat page: script in the name, greeting, suggestions, note, links, logo and colour',
    defence: 'Templates escape, JSON in the page has no `<`, links and images are parsed',
    tests: [
      {
        file: `${surface}/chat-page.test.ts`,
        titles: ['contains no markup', 'refuses the setting'],
      },
    ],
  },
  {
    attack: 'Chat page: reaching the dashboard or another agent’s page with its cookie',
    defence:
      'The page has an opaque origin, and no cookie of the dashboard is sent to it; its cookie has its own path and no script reads it',
    tests: [
      { file: 'src/surfaces/http/cookies.test.ts', titles: ['are not sent to'] },
      {
        file: `${surface}/chat-page.test.ts`,
        titles: ['an origin of its own', 'gives its cookie'],
      },
    ],
  },
  {
    attack:
      'Chat page: slugs of others and released ones, ids of agents as slugs, reserved names, script in a slug',
    defence: 'A slug is unique, never has the form of an id, and is held after it was given up',
    tests: [
      {
        file: `${surface}/slugs.test.ts`,
        titles: [
          'is refused as a slug',
          'never stands for the id',
          'at the same time',
          'is held for its workspace',
          'holds its newest names only',
        ],
      },
    ],
  },
  {
    attack:
      'Domains of chat pages: domains of others, takeover after a sale, Host and X-Forwarded-Host, the dashboard or the API at a domain',
    defence:
      'A DNS record proves a domain hourly; the host is checked before all routes, and an invented one costs no read',
    tests: [
      {
        file: `${surface}/domains.test.ts`,
        titles: [
          'serves the page alone',
          'lead nowhere at a domain',
          'the one that proves it',
          'whose record is gone',
          'is refused as a domain',
          'limited number of domains',
        ],
      },
      {
        file: `${surface}/given-up-addresses.test.ts`,
        titles: ['keep their name for the workspace', 'get no certificate'],
      },
      {
        file: 'src/features/visitors/known-domains.test.ts',
        titles: ['however many hosts are invented', 'another process has proven'],
      },
    ],
  },
  {
    attack: 'Domains of chat pages without end, for certificates and questions to name servers',
    defence: 'A workspace enters a limited number in a day, counted with the change',
    tests: [
      {
        file: `${surface}/domains.test.ts`,
        titles: ['also if it removes them', 'are entered at the same time'],
      },
    ],
  },
  {
    attack:
      'Chat page as an app: script in the manifest, icon or document, names of restricted pages',
    defence:
      'The document runs only a script of its own and frames the page; restricted pages answer 404; a logo is decoded only if its header bounds the work',
    tests: [
      {
        file: 'src/features/visitors/app-icon/draw-icon.test.ts',
        titles: ['take long to decode'],
      },
      {
        file: `${surface}/install.test.ts`,
        titles: ['one script of its own', 'no markup of an editor', 'says nothing about'],
      },
    ],
  },
  {
    attack:
      'Visitors: files without permission, too many, too large, of false types, with script in their names',
    defence:
      'Off by default; bounds per message, visitor and address; types by their first bytes; bounded readers',
    tests: [
      {
        file: `${surface}/files.test.ts`,
        titles: [
          'until an editor allows them',
          'are refused as ',
          'before they are read',
          'without folders, markup',
          'count towards the limits',
        ],
      },
    ],
  },
  {
    attack: 'Visitors: forged, expired, stolen or ended tokens, foreign origins',
    defence:
      'Tokens are signed, live 15 minutes, belong to an agent and a generation, and end with the session of the person. Who steals one from a visitor’s browser can use it as long: an opaque origin proves no page',
    tests: [
      {
        file: `${surface}/ended-people.test.ts`,
        titles: [
          'a visit ends at once when',
          'a visit of someone who is no member ends',
          'the pass of an editor ends at once when',
          'a pass from the command line ends',
        ],
      },
      {
        file: `${surface}/messages.test.ts`,
        titles: [
          'is refused: forged',
          'on no other site',
          'a frame without an origin',
          'ends after 15 minutes',
        ],
      },
      { file: `${surface}/widget.test.ts`, titles: ['ends with all visits'] },
      { file: `${surface}/widget-boundaries.test.ts`, titles: ['copied token of a browser'] },
    ],
  },
  {
    attack: 'Visitors: conversations and ratings of others, pages without access',
    defence: 'A conversation is found only by its own end user and channel',
    tests: [
      {
        file: `${surface}/messages.test.ts`,
        titles: ['reaches no conversation', 'rates an answer'],
      },
      { file: `${surface}/chat-page.test.ts`, titles: ['for some people only'] },
    ],
  },
  {
    attack: 'Visitors: floods of messages, long messages, many visitors at once',
    defence:
      'Limits per visitor and address, proof of work, and a budget of a day in the database, of which each sender has a share',
    tests: [
      { file: `${surface}/floods.test.ts`, titles: ['a flood of visitors'] },
      { file: `${surface}/messages.test.ts`, titles: ['empty or too long'] },
      {
        file: `${surface}/shares.test.ts`,
        titles: ['whatever one address sends', 'each person', 'a visitor or an address refuse'],
      },
      {
        file: `${surface}/files.test.ts`,
        titles: ['only with messages that are accepted', 'count for the hour'],
      },
    ],
  },
  {
    attack:
      'Captcha: tokens that are invented, used twice or of another host, and a provider that is down',
    defence:
      'Each token is checked once with the provider and its host compared; without a verdict, which no token can cause, a proof of work is needed; the policy of the captcha’s page names only the provider',
    tests: [
      {
        file: `${surface}/captcha.test.ts`,
        titles: [
          'its token is accepted once',
          'is refused with an invented',
          'cannot choose a proof',
          'a firewall refuses',
          'names only the provider',
        ],
      },
    ],
  },
  {
    attack:
      'Widget: foreign sites, restricted pages, another site’s memory, localhost without a pass',
    defence: 'A list of origins that denies when empty; visits are bound to the site',
    tests: [
      {
        file: `${surface}/widget.test.ts`,
        titles: [
          'for the listed sites only',
          'never shows a page',
          'no longer listed',
          'remembers a visitor',
          'on localhost',
          'cannot be allowed',
        ],
      },
      {
        file: `${surface}/widget-boundaries.test.ts`,
        titles: ['lets the pass of an editor'],
      },
    ],
  },
  {
    attack:
      'Identities: forged tokens (alg none, RS256 as HS256, foreign keys), expired tokens, unsigned claims',
    defence:
      'Each algorithm has its own key; only verified claims reach prompts and actions; a visit ends with the host’s token, and when the secret is replaced',
    tests: [
      {
        file: `${surface}/identity-ends.test.ts`,
        titles: ['no longer than the token', 'the secret is replaced'],
      },
      {
        file: `${surface}/forged-identities.test.ts`,
        titles: ['by a forged token'],
      },
      {
        file: `${surface}/identity.test.ts`,
        titles: ['private address', 'verified claims, and by no others', 'the host of an action'],
      },
    ],
  },
  {
    attack:
      'Moderation: words in other widths and cases, a hook that fails or lies, a private hook',
    defence: 'Texts are normalised; without a clear decision the page fails closed by default',
    tests: [
      {
        file: `${surface}/moderation.test.ts`,
        titles: [
          'about the text of documents',
          'a listed word',
          'asks the hook',
          'fails open or closed',
          'private address',
          'keeps the reasoning',
        ],
      },
      {
        file: `${surface}/moderated-citations.test.ts`,
        titles: ['left out if one contains', 'the hook refuses them'],
      },
    ],
  },
]
