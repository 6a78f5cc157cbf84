import { replies, type Replies } from './replies.ts'

/** What a message can be that asks nothing. */
export type SmallTalkKind = 'greeting' | 'thanks' | 'farewell' | 'askedNothing'

type SmallTalkReplies = Pick<Replies, SmallTalkKind>

/**
 * Replies in every language whose small talk is understood: also in languages of which no function
 * words are known, whose questions are therefore answered with English words around a quotation.
 */
export const smallTalkReplies = {
  ...replies,
  ru: {
    greeting:
      'Здравствуйте! Я отвечаю дословными цитатами из знаний этого агента; языковая модель не подключена. Задайте вопрос о том, что в них есть.',
    thanks: 'Пожалуйста! Задавайте и другие вопросы.',
    farewell: 'До свидания! Возвращайтесь, когда появится вопрос.',
    askedNothing: 'Задайте, пожалуйста, вопрос словами: я могу искать только текст.',
  },
  pl: {
    greeting:
      'Dzień dobry! Odpowiadam, cytując dosłownie wiedzę tego agenta; nie jest podłączony żaden model językowy. Proszę zapytać o coś, co ona obejmuje.',
    thanks: 'Nie ma za co! Proszę pytać dalej.',
    farewell: 'Do widzenia! Zapraszam, gdy pojawi się pytanie.',
    askedNothing: 'Proszę zadać pytanie słowami: potrafię szukać tylko tekstu.',
  },
  cs: {
    greeting:
      'Dobrý den! Odpovídám doslovnými citacemi ze znalostí tohoto agenta; není připojen žádný jazykový model. Zeptejte se na něco, co obsahují.',
    thanks: 'Není zač! Klidně se zeptejte na něco dalšího.',
    farewell: 'Na shledanou! Vraťte se, až budete mít otázku.',
    askedNothing: 'Položte prosím otázku slovy: umím hledat jen text.',
  },
  tr: {
    greeting:
      'Merhaba! Bu temsilcinin bilgisinden kelimesi kelimesine alıntı yaparak yanıt veriyorum; bağlı bir dil modeli yok. İçindeki bir konuyu sorabilirsiniz.',
    thanks: 'Rica ederim! Başka bir şey de sorabilirsiniz.',
    farewell: 'Hoşça kalın! Bir sorunuz olduğunda yine gelin.',
    askedNothing: 'Lütfen sorunuzu kelimelerle yazın: yalnızca metin arayabilirim.',
  },
  sv: {
    greeting:
      'Hej! Jag svarar genom att citera den här agentens kunskap ordagrant; ingen språkmodell är ansluten. Fråga mig om något som den tar upp.',
    thanks: 'Varsågod! Fråga gärna om något mer.',
    farewell: 'Hej då! Kom gärna tillbaka när du har en fråga.',
    askedNothing: 'Ställ en fråga med ord: jag kan bara söka efter text.',
  },
  da: {
    greeting:
      'Goddag! Jeg svarer ved at citere denne agents viden ordret; der er ikke tilsluttet nogen sprogmodel. Spørg mig om noget, som den handler om.',
    thanks: 'Selv tak! Spørg gerne om mere.',
    farewell: 'Farvel! Kom gerne igen, når du har et spørgsmål.',
    askedNothing: 'Stil et spørgsmål med ord: jeg kan kun søge efter tekst.',
  },
  no: {
    greeting:
      'Hei! Jeg svarer ved å sitere denne agentens kunnskap ordrett; ingen språkmodell er koblet til. Spør meg om noe som den handler om.',
    thanks: 'Bare hyggelig! Spør gjerne om mer.',
    farewell: 'Ha det! Kom gjerne tilbake når du har et spørsmål.',
    askedNothing: 'Still et spørsmål med ord: jeg kan bare søke etter tekst.',
  },
  he: {
    greeting:
      'שלום! אני עונה בציטוט מילה במילה מתוך הידע של הסוכן הזה; לא מחובר מודל שפה. אפשר לשאול אותי על מה שיש בו.',
    thanks: 'בבקשה! אפשר לשאול עוד שאלות.',
    farewell: 'להתראות! אפשר לחזור בכל שאלה.',
    askedNothing: 'נא לשאול שאלה במילים: אני יכול לחפש רק טקסט.',
  },
  hi: {
    greeting:
      'नमस्ते! मैं इस एजेंट के ज्ञान को शब्दशः उद्धृत करके उत्तर देता हूँ; कोई भाषा मॉडल जुड़ा नहीं है। इसमें मौजूद किसी विषय के बारे में पूछिए।',
    thanks: 'आपका स्वागत है! और भी प्रश्न पूछिए।',
    farewell: 'अलविदा! कोई प्रश्न हो तो फिर आइए।',
    askedNothing: 'कृपया अपना प्रश्न शब्दों में लिखिए: मैं केवल पाठ खोज सकता हूँ।',
  },
  th: {
    greeting:
      'สวัสดี! ฉันตอบโดยยกข้อความจากความรู้ของเอเจนต์นี้แบบคำต่อคำ ไม่มีโมเดลภาษาเชื่อมต่ออยู่ ถามเรื่องที่อยู่ในความรู้นี้ได้เลย',
    thanks: 'ด้วยความยินดี! ถามเรื่องอื่นได้อีก',
    farewell: 'ลาก่อน! กลับมาใหม่ได้เมื่อมีคำถาม',
    askedNothing: 'โปรดพิมพ์คำถามเป็นข้อความ ฉันค้นหาได้เฉพาะข้อความเท่านั้น',
  },
} as const satisfies Record<string, SmallTalkReplies>

export type SmallTalkLanguage = keyof typeof smallTalkReplies
