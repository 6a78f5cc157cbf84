export const share = {
  title: 'Share',
  hint: 'Use this agent in your own pages and programs through an API that is compatible with OpenAI’s chat completions.',
  address: 'Base URL',
  addressHint: 'Set it as the base URL in OpenAI’s clients.',
  model: 'Model',
  modelHint: 'The name of this agent. It never changes.',
  keys: {
    title: 'Chat keys',
    hint: 'A program needs a chat key to talk to this agent. The key allows nothing else.',
    hidden: 'Only editors of this workspace can see its keys.',
    create: 'Create API Key',
    createHint:
      'Name the key after the program that will use it, so that you know what stops working when you revoke it.',
    namePlaceholder: 'Website',
    empty: 'No keys yet',
    emptyHint:
      'Create a key, then run the command that is shown with it to get an answer from the agent.',
  },
  tryTitle: 'Try it',
  tryHint: 'Ready to run with your key. This is the only time the key is shown.',
  snippets: 'Code examples',
  snippetsHint: 'Each example asks one question. Replace {placeholder} with a key.',
  languages: 'Language',
  codeLabel: 'Example for {language}',
  freePlan: 'The chat API requires a paid plan',
  freePlanHint: 'This workspace is on the free plan, so its chat keys are refused.',
  question: 'What can you help me with?',
} as const
