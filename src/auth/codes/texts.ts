// The messages: their purposes, channels, languages and texts. The texts contain no links, so that users do not get used
// to following a link to a page that asks for a code.

export const purposes = [
  'activation',
  'phone-change',
  'password-reset',
  // Lets a user set a password after an administrator created the account.
  'account-created',
  'email-change',
  // Informs the old address. The message has no code, and the code behind it cannot be redeemed.
  'email-changed',
] as const;
export type Purpose = (typeof purposes)[number];

export const channels = ['EMAIL', 'SMS'] as const;
export type Channel = (typeof channels)[number];

export const languages = ['pt', 'en'] as const;
export type Language = (typeof languages)[number];

const SERVICE = 'Clinical Protocols';

interface Template {
  readonly subject: string;
  /** The predicate of a sentence that begins with the code. If absent, the message has no code. */
  readonly does?: string;
  /** The text of an e-mail before, or instead of, the sentence about the code. */
  readonly intro?: string;
}

const templates: Readonly<Record<Language, Readonly<Record<Purpose, Template>>>> = {
  pt: {
    activation: { subject: 'Seu código de ativação', does: 'ativa o seu acesso ao' },
    'phone-change': { subject: 'Confirme o seu novo telefone', does: 'confirma o seu novo telefone no' },
    'password-reset': { subject: 'Redefina a sua senha', does: 'redefine a sua senha no' },
    'account-created': {
      subject: 'Sua conta foi criada',
      does: 'define a sua senha no',
      intro: `um administrador criou uma conta para você no ${SERVICE}. Escolha uma senha que só você conheça.`,
    },
    'email-change': { subject: 'Confirme o seu novo e-mail', does: 'confirma este e-mail para o seu acesso ao' },
    'email-changed': {
      subject: 'O e-mail de contato da sua conta foi alterado',
      intro:
        `o e-mail de contato da sua conta no ${SERVICE} foi alterado. Você continua a entrar com este endereço até ` +
        'confirmar o novo. Se não foi você, avise um administrador da sua instituição.',
    },
  },
  en: {
    activation: { subject: 'Your activation code', does: 'activates your access to' },
    'phone-change': { subject: 'Confirm your new phone', does: 'confirms your new phone at' },
    'password-reset': { subject: 'Reset your password', does: 'resets your password at' },
    'account-created': {
      subject: 'Your account was created',
      does: 'sets your password at',
      intro: `an administrator created an account for you at ${SERVICE}. Choose a password that only you know.`,
    },
    'email-change': { subject: 'Confirm your new e-mail address', does: 'confirms this address for signing in to' },
    'email-changed': {
      subject: 'The contact address of your account was changed',
      intro:
        `the contact e-mail address of your account at ${SERVICE} was changed. You keep signing in with this address ` +
        'until you confirm the new one. If you did not make this change, contact an administrator of your institution.',
    },
  },
};

/** The sentences of a language. `minutes` is the lifetime of the code. */
interface Frame {
  readonly greeting: string;
  readonly code: (does: string, code: string, minutes: number) => string;
  readonly warning: string;
  readonly sms: (does: string, code: string, minutes: number) => string;
}

// An SMS holds 160 characters of the GSM alphabet (3GPP TS 23.038), but only 70 if it has any other character, which
// most accented letters are. The Portuguese text therefore avoids accents.
const frames: Readonly<Record<Language, Frame>> = {
  pt: {
    greeting: 'Olá,',
    code: (does, code, minutes) =>
      `o código ${code} ${does} ${SERVICE}. Ele é válido por ${minutes} minutos e só pode ser usado uma vez.`,
    warning: 'Se você não pediu este código, ignore esta mensagem. Não o informe a ninguém: nossa equipe nunca o pede.',
    sms: (does, code, minutes) =>
      `${code} ${does} ${SERVICE}. Vale por ${minutes} minutos. Se foi outra pessoa que pediu, ignore esta mensagem.`,
  },
  en: {
    greeting: 'Hello,',
    code: (does, code, minutes) =>
      `the code ${code} ${does} ${SERVICE}. It is valid for ${minutes} minutes and can be used once.`,
    warning:
      'If you did not request this code, ignore this message. Do not share the code. We will never ask you for it.',
    sms: (does, code, minutes) =>
      `${code} ${does} ${SERVICE}. Valid for ${minutes} minutes. If you did not request it, ignore this message.`,
  },
};

/** Returns the subject and the text of a message. `lifeMs` is the lifetime of its code. */
export const messageOf = (
  { purpose, channel, language }: { readonly purpose: Purpose; readonly channel: Channel; readonly language: Language },
  code: string,
  lifeMs: number,
): { readonly subject: string; readonly text: string } => {
  const { subject, does, intro } = templates[language][purpose];
  const frame = frames[language];
  const minutes = Math.floor(lifeMs / 60_000);
  if (channel === 'SMS') return { subject, text: does === undefined ? (intro ?? '') : frame.sms(does, code, minutes) };
  const aboutCode = does === undefined ? [] : [frame.code(does, code, minutes), frame.warning];
  return { subject, text: `${[frame.greeting, ...(intro === undefined ? [] : [intro]), ...aboutCode].join('\n\n')}\n` };
};
