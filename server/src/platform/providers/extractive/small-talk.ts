import { wordsOf } from './sentences.ts'
import { isAddition } from './small-talk-additions.ts'
import type { Language, SmallTalkKind } from './replies.ts'

/** What people say without a question. English also lists phrases that many languages share. */
const phrases: Readonly<Record<SmallTalkKind, Partial<Record<Language, string>>>> = {
  greeting: {
    en: `hi|hello|hey|hi there|hello there|hey there|good morning|good afternoon|good evening|good day|
      greetings|howdy|test|help|start|who are you|what are you|what can you do|how are you|
      how can you help|how can you help me|what do you know|are you a bot|are you there|are you human|
      are you a robot|are you real|are you an ai|what is your name|whats your name|can you help|
      can you help me|could you help me|i need help|help me|i have a question|how are you doing|
      how are you today|how are you doing today|hows it going|how is it going|whats up|
      nice to meet you|good to see you|tell me about yourself|who made you|who created you|who built you|
      are you chatgpt|are you gpt|are you claude|are you gemini|are you a language model|are you an llm|
      what model are you|which model are you|what can i ask|what can i ask you`,
    de: `hallo|guten tag|guten morgen|guten abend|servus|moin|gruezi|wer bist du|wer sind sie|was kannst du|
      was konnen sie|wie geht es dir|wie geht es ihnen|wie geht s|wie gehts|wie geht es|hilfe|gruss gott|gruß gott|gruß dich|hi zusammen|
      hallo zusammen|schonen guten tag|guten tag zusammen|na|kannst du mir helfen|konnen sie mir helfen|
      ich brauche hilfe|ich habe eine frage|wie heisst du|wie heißt du|wie heißen sie|bist du ein bot|
      bist du ein mensch|sind sie ein mensch|bist du ein roboter|sind sie ein bot|bist du eine ki|
      bist du chatgpt|wer hat dich gemacht|wer hat dich erstellt|welches modell bist du|was kann ich fragen|
      was kann ich dich fragen`,
    fr: `bonjour|salut|bonsoir|coucou|qui es tu|qui etes vous|que peux tu faire|comment ca va|ca va|aide|comment allez vous|
      comment vas tu|que pouvez vous faire|pouvez vous m aider|peux tu m aider|j ai une question|
      comment t appelles tu|es tu un robot|etes vous un robot|es tu chatgpt|qui t a cree|allo`,
    es: `hola|buenos dias|buenas tardes|buenas noches|buenas|quien eres|que puedes hacer|que tal|como estas|ayuda|como esta|
      como esta usted|puedes ayudarme|puede ayudarme|tengo una pregunta|como te llamas|eres un robot|eres chatgpt|quien te creo`,
    it: `ciao|salve|buongiorno|buonasera|chi sei|cosa puoi fare|come stai|come va|aiuto|come sta|
      puoi aiutarmi|puo aiutarmi|ho una domanda|come ti chiami|sei un robot|sei chatgpt|chi ti ha creato`,
    pt: `ola|bom dia|boa tarde|boa noite|quem e voce|o que voce pode fazer|tudo bem|ajuda|como vai|como esta voce|
      pode me ajudar|tenho uma pergunta|qual e o seu nome|voce e um robo|voce e o chatgpt`,
    nl: `goedemorgen|goedemiddag|goedenavond|goedendag|hoi|dag|wie ben je|wat kun je|hoe gaat het|hoe gaat het met je|kun je me helpen|kunt u mij helpen|ik heb een vraag|hoe heet je`,
    zh: '你好|您好|嗨|早上好|晚上好|下午好|你是谁|您是谁|你能做什么|您能做什么|你好吗|您好吗|在吗|你可以帮我吗|你能帮我吗|你叫什么名字|你是机器人吗',
    ja: 'こんにちは|おはよう|おはようございます|こんばんは|もしもし|あなたは誰ですか|お元気ですか|助けてください|何ができますか|はじめまして',
    ko: '안녕|안녕하세요|누구세요|잘 지내세요|도와주세요|무엇을 할 수 있나요',
    ru: 'привет|здравствуйте|здравствуй|добрый день|доброе утро|добрый вечер|кто вы|кто ты|что вы умеете|что ты умеешь|как дела|помогите|вы можете мне помочь|у меня вопрос',
    pl: 'cześć|dzień dobry|dobry wieczór|witam|witaj|kim jesteś|co potrafisz|jak się masz|pomocy|mam pytanie|czy możesz mi pomóc',
    cs: 'ahoj|dobrý den|dobré ráno|dobrý večer|kdo jsi|kdo jste|co umíš|co umíte|jak se máš|jak se máte|mám otázku|můžete mi pomoci',
    tr: 'merhaba|merhabalar|selam|günaydın|iyi günler|iyi akşamlar|kimsin|siz kimsiniz|ne yapabilirsin|nasılsın|nasılsınız|yardım|bir sorum var|bana yardım edebilir misin',
    sv: 'hej|hejsan|hej hej|god morgon|god kväll|vem är du|vad kan du göra|hur mår du|hjälp|jag har en fråga|kan du hjälpa mig',
    da: 'goddag|god dag|godmorgen|god morgen|godaften|hvem er du|hvad kan du|hvordan går det|hjælp|jeg har et spørgsmål|kan du hjælpe mig',
    no: 'hei|heisann|god morgen|god kveld|hvem er du|hva kan du gjøre|hvordan går det med deg|hjelp|jeg har et spørsmål|kan du hjelpe meg',
    he: 'שלום|היי|הי|בוקר טוב|ערב טוב|צהריים טובים|מי אתה|מה שלומך|מה נשמע|עזרה|יש לי שאלה',
    hi: 'नमस्ते|नमस्कार|हैलो|सुप्रभात|आप कौन हैं|आप कैसे हैं|आप क्या कर सकते हैं|मदद|मेरा एक सवाल है',
    th: 'สวัสดี|สวัสดีครับ|สวัสดีค่ะ|หวัดดี|คุณคือใคร|สบายดีไหม|คุณทำอะไรได้บ้าง|ช่วยด้วย',
    ar: 'مرحبا|السلام عليكم|اهلا|صباح الخير|مساء الخير|من انت|كيف حالك|كيف الحال|اهلا وسهلا|وعليكم السلام|هل يمكنك مساعدتي|ماذا يمكنك ان تفعل|ما اسمك',
  },
  thanks: {
    en: `thanks|thank you|thanks a lot|thank you very much|many thanks|thx|ty|cheers|great|great thanks|perfect|
      perfect thanks|ok|okay|ok thanks|okay thanks|cool|nice|got it|good|awesome|thanks for your help|
      thank you so much|thanks so much|thx a lot|thanks again|thank you for your help|that helped|
      that helps|very helpful|sounds good|good bot|well done|i love you`,
    de: `danke|vielen dank|danke schon|besten dank|super|super danke|alles klar|herzlichen dank|danke sehr|danke dir|danke ihnen|tausend dank|prima|
      danke fur die hilfe|danke fur ihre hilfe|danke fur deine hilfe|perfekt|toll|verstanden|in ordnung`,
    fr: `merci|merci beaucoup|super merci|parfait merci|d accord|parfait|super|merci bien|merci pour votre aide|merci pour ton aide|tres bien`,
    es: `gracias|muchas gracias|mil gracias|perfecto gracias|vale|perfecto|gracias por tu ayuda|gracias por su ayuda|muy bien`,
    it: `grazie|grazie mille|molte grazie|perfetto grazie|va bene|perfetto|grazie per l aiuto`,
    pt: `obrigado|obrigada|muito obrigado|muito obrigada|perfeito|obrigado pela ajuda`,
    nl: `bedankt|dank je|dank u|dank je wel|dank u wel|hartelijk dank|bedankt voor de hulp|prima|perfect`,
    zh: '谢谢|多谢|谢谢你|谢谢您|好的|非常感谢|太好了|感谢|明白了',
    ja: 'ありがとう|ありがとうございます|どうも|ありがとうございました|どうもありがとうございます|わかりました|了解です',
    ko: '감사합니다|고마워|고맙습니다|정말 감사합니다|알겠습니다',
    ru: 'спасибо|большое спасибо|спасибо большое|благодарю|спасибо за помощь|отлично|понятно|хорошо',
    pl: 'dziękuję|dzięki|dziękuję bardzo|bardzo dziękuję|wielkie dzięki|dziękuję za pomoc|świetnie|rozumiem',
    cs: 'děkuji|díky|děkuju|moc děkuji|děkuji za pomoc|skvělé|rozumím',
    tr: 'teşekkürler|teşekkür ederim|çok teşekkürler|çok teşekkür ederim|sağ ol|sağ olun|tamam|anladım',
    sv: 'tack|tack så mycket|tusen tack|tack för hjälpen',
    da: 'tak|mange tak|tusind tak|tak for hjælpen',
    no: 'takk|tusen takk|mange takk|takk for hjelpen',
    he: 'תודה|תודה רבה|מצוין|הבנתי',
    hi: 'धन्यवाद|शुक्रिया|बहुत धन्यवाद|बहुत बहुत धन्यवाद|ठीक है',
    th: 'ขอบคุณ|ขอบคุณครับ|ขอบคุณค่ะ|ขอบคุณมาก|เข้าใจแล้ว',
    ar: 'شكرا|شكرا لك|شكرا جزيلا|شكرا على مساعدتك|الف شكر|ممتاز|حسنا',
  },
  farewell: {
    en: `bye|goodbye|bye bye|see you|see you later|good night|have a nice day|that is all|that s all|thats all|see ya|take care|no thanks|no thank you|have a good day`,
    de: `tschuss|auf wiedersehen|bis bald|gute nacht|das war alles|das wars|das war s|ciao ciao|bis dann|bis spater|schonen tag|schonen tag noch|nein danke|auf wiederschauen|mach s gut`,
    fr: `au revoir|a bientot|bonne journee|bonne nuit`,
    es: `adios|hasta luego|hasta pronto`,
    it: `arrivederci|a presto|buonanotte`,
    pt: `tchau|adeus|ate logo`,
    nl: `tot ziens|doei|tot straks`,
    zh: '再见|拜拜',
    ja: 'さようなら|おやすみ|またね',
    ko: '안녕히 계세요|잘 가',
    ru: 'до свидания|пока|всего доброго|спокойной ночи|нет спасибо|это всё',
    pl: 'do widzenia|pa|do zobaczenia|dobranoc|miłego dnia',
    cs: 'na shledanou|nashledanou|dobrou noc|hezký den',
    tr: 'hoşça kal|hoşça kalın|görüşürüz|güle güle|iyi geceler',
    sv: 'hej då|adjö|vi ses|god natt',
    da: 'farvel|vi ses senere|godnat',
    no: 'ha det|ha det bra|farvel da|god natt da',
    he: 'להתראות|ביי|לילה טוב',
    hi: 'अलविदा|फिर मिलेंगे|शुभ रात्रि',
    th: 'ลาก่อน|บาย|แล้วเจอกัน|ราตรีสวัสดิ์',
    ar: 'مع السلامة|الى اللقاء|وداعا',
  },
  askedNothing: {
    en: `yes|no|yeah|yep|nope|sure|maybe|lol|haha|hahaha|hm|hmm|wow|oh|tell me a joke|you are stupid|nothing|why|what|
      more|tell me more|go on|continue|and then|what else|repeat that|say that again|this is useless|
      you are useless|fuck you|fuck off`,
    de: `ja|nein|vielleicht|genau|klar|stimmt|aha|erzahl mir einen witz|nichts|warum|wieso|weiter|
      mehr|erzahl mir mehr|und dann`,
    fr: `oui|non|peut etre|bien sur|rien|pourquoi|et alors`,
    es: `si|claro|quizas|nada|por que|y entonces`,
    it: `certo|forse|niente|perche`,
    pt: `sim|nao|talvez|nada`,
    nl: `nee|misschien|niets`,
    zh: '是|不|是的|不是|没有|哈哈|嗯',
    ja: 'はい|いいえ',
    ko: '네|아니요|아니오',
    ru: 'да|нет|может быть|ничего|хм',
    pl: 'może|nic',
    cs: 'ano|možná|nic dalšího',
    tr: 'evet|hayır|belki|hiçbir şey',
    sv: 'kanske|ingenting',
    da: 'måske',
    no: 'kanskje',
    he: 'כן|לא|אולי|כלום',
    hi: 'हाँ|हां|नहीं|शायद|कुछ नहीं',
    th: 'ใช่|ไม่|ไม่ใช่|อาจจะ',
    ar: 'نعم|لا|ربما',
  },
}

interface SmallTalk {
  readonly kind: SmallTalkKind
  readonly language: Language
}

const known = new Map<string, SmallTalk>()
for (const kind of ['askedNothing', 'farewell', 'thanks', 'greeting'] as const)
  for (const [language, list] of Object.entries(phrases[kind]))
    for (const phrase of list.split('|'))
      // Object.entries forgets the type of the keys.
      known.set(joined(wordsOf(phrase)), { kind, language: language as Language })

/** Longer messages are not looked at. */
const mostWords = 16

/**
 * What a message is if it is small talk and asks nothing; otherwise null. It may consist of several
 * phrases, of which the last one counts: `Great, thank you, bye!`
 */
export function smallTalkOf(words: readonly string[]): SmallTalk | null {
  if (words.length > mostWords) return null
  /** What the first words are, by their number: null if they only add to small talk, undefined if they do not. */
  const talk: (SmallTalk | null | undefined)[] = [null]
  for (let end = 1; end <= words.length; end += 1)
    for (let start = 0; start < end && !talk[end]; start += 1) {
      const before = talk[start]
      const now = before === undefined ? before : heard(before, words.slice(start, end))
      if (now !== undefined) talk[end] = now
    }
  return talk[words.length] ?? null
}

/** `Yes, hello` is a greeting. */
function heard(before: SmallTalk | null, phrase: readonly string[]): SmallTalk | null | undefined {
  const last = known.get(joined(phrase))
  if (last === undefined) return isAddition(phrase) ? before : undefined
  return last.kind === 'askedNothing' ? (before ?? last) : last
}

/** Without spaces, because languages that write none are divided in several ways. */
function joined(words: readonly string[]): string {
  return words.join('')
}
