import type { Language, Replies } from './replies.ts'
import { wordsOf } from './sentences.ts'

type Kind = Extract<keyof Replies, 'greeting' | 'thanks' | 'farewell'>

/**
 * What people say without a question. English also lists phrases of languages that have no replies, and
 * those that many languages share.
 */
const phrases: Readonly<Record<Kind, Partial<Record<Language, string>>>> = {
  greeting: {
    en: `hi|hello|hey|hi there|hello there|hey there|good morning|good afternoon|good evening|good day|
      greetings|howdy|hei|hej|hejsan|merhaba|selam|czesc|dzien dobry|ahoj|привет|здравствуйте|добрый день|שלום|नमस्ते|สวัสดี|test|help|start|who are you|what are you|what can you do|how are you|
      how can you help|how can you help me|what do you know|are you a bot|are you there`,
    de: `hallo|guten tag|guten morgen|guten abend|servus|moin|gruezi|wer bist du|wer sind sie|was kannst du|
      was konnen sie|wie geht es dir|wie geht es ihnen|wie geht s|hilfe`,
    fr: `bonjour|salut|bonsoir|coucou|qui es tu|qui etes vous|que peux tu faire|comment ca va|ca va|aide`,
    es: `hola|buenos dias|buenas tardes|buenas noches|buenas|quien eres|que puedes hacer|que tal|como estas|ayuda`,
    it: `ciao|salve|buongiorno|buonasera|chi sei|cosa puoi fare|come stai|come va|aiuto`,
    pt: `ola|bom dia|boa tarde|boa noite|quem e voce|o que voce pode fazer|tudo bem|ajuda`,
    nl: `goedemorgen|goedemiddag|goedenavond|goedendag|hoi|dag|wie ben je|wat kun je|hoe gaat het`,
    zh: '你好|您好|嗨|早上好|晚上好|你是谁|你能做什么',
    ja: 'こんにちは|おはよう|おはようございます|こんばんは|もしもし|あなたは誰ですか',
    ko: '안녕|안녕하세요|누구세요',
    ar: 'مرحبا|السلام عليكم|اهلا|صباح الخير|مساء الخير|من انت|كيف حالك',
  },
  thanks: {
    en: `thanks|thank you|thanks a lot|thank you very much|many thanks|thx|ty|cheers|great|great thanks|perfect|
      perfect thanks|ok|okay|ok thanks|okay thanks|cool|nice|got it|good|awesome|thanks for your help`,
    de: `danke|vielen dank|danke schon|besten dank|super|super danke|alles klar|herzlichen dank|danke sehr`,
    fr: `merci|merci beaucoup|super merci|parfait merci|d accord`,
    es: `gracias|muchas gracias|mil gracias|perfecto gracias|vale`,
    it: `grazie|grazie mille|molte grazie|perfetto grazie|va bene`,
    pt: `obrigado|obrigada|muito obrigado|muito obrigada`,
    nl: `bedankt|dank je|dank u|dank je wel|dank u wel|hartelijk dank`,
    zh: '谢谢|多谢|谢谢你|谢谢您|好的',
    ja: 'ありがとう|ありがとうございます|どうも',
    ko: '감사합니다|고마워|고맙습니다',
    ar: 'شكرا|شكرا لك|شكرا جزيلا',
  },
  farewell: {
    en: `bye|goodbye|bye bye|see you|see you later|good night|have a nice day|that is all|that s all`,
    de: `tschuss|auf wiedersehen|bis bald|gute nacht|das war alles|ciao ciao`,
    fr: `au revoir|a bientot|bonne journee|bonne nuit`,
    es: `adios|hasta luego|hasta pronto`,
    it: `arrivederci|a presto|buonanotte`,
    pt: `tchau|adeus|ate logo`,
    nl: `tot ziens|doei|tot straks`,
    zh: '再见|拜拜',
    ja: 'さようなら|おやすみ|またね',
    ko: '안녕히 계세요|잘 가',
    ar: 'مع السلامة|الى اللقاء|وداعا',
  },
}

interface SmallTalk {
  readonly kind: Kind
  readonly language: Language
}

const known = new Map<string, SmallTalk>()
for (const kind of ['greeting', 'thanks', 'farewell'] as const)
  for (const [language, list] of Object.entries(phrases[kind]))
    for (const phrase of list.split('|'))
      // Object.entries forgets the type of the keys.
      known.set(joined(wordsOf(phrase)), { kind, language: language as Language })

/** What a message is if it is small talk and asks nothing; otherwise null. */
export function smallTalkOf(words: readonly string[]): SmallTalk | null {
  return known.get(joined(words)) ?? null
}

/** Without spaces, because languages that write none are divided in several ways. */
function joined(words: readonly string[]): string {
  return words.join('')
}
