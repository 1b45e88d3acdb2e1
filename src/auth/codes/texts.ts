// The messages: their purposes, channels, languages and texts. The texts contain no links, so that users do not get
// used to following a link to a page that asks for a code.

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

export const SERVICE = 'Clinical Protocols';

interface Template {
  readonly subject: string;
  /** The first paragraph of an e-mail: what happened, and what to do. */
  readonly opening: string;
  /** The predicate of a sentence that begins with the code. If absent, the message has no code. */
  readonly does?: string;
  /** How to get another code. */
  readonly renewal?: string;
  /** What to do if the user did not expect the e-mail, and whom to ask. Default: the `unexpected` of the language. */
  readonly unexpected?: string;
}

const templates: Readonly<Record<Language, Readonly<Record<Purpose, Template>>>> = {
  pt: {
    activation: {
      subject: 'Seu código de ativação',
      opening: `Recebemos um pedido para ativar seu acesso ao ${SERVICE}. Informe o código abaixo na tela de ativação.`,
      does: 'ativa o seu acesso ao',
      renewal: 'Se o código expirar, peça outro na tela de ativação.',
    },
    'phone-change': {
      subject: 'Confirme o seu novo telefone',
      opening:
        `Recebemos um pedido para mudar o telefone da sua conta no ${SERVICE}. ` +
        'Informe o código abaixo para confirmar.',
      does: 'confirma o seu novo telefone no',
      renewal: 'Se o código expirar, informe o telefone novamente na sua conta para receber outro.',
    },
    'password-reset': {
      subject: 'Redefina a sua senha',
      opening:
        `Recebemos um pedido para redefinir a sua senha no ${SERVICE}. ` +
        'Informe o código abaixo e escolha a nova senha.',
      does: 'redefine a sua senha no',
      renewal: 'Se o código expirar, peça a redefinição da senha novamente para receber outro.',
    },
    'account-created': {
      subject: 'Sua conta foi criada',
      opening:
        `Um administrador criou uma conta para você no ${SERVICE}. Para começar, informe o código abaixo e escolha ` +
        'uma senha que só você conheça.',
      does: 'define a sua senha no',
      renewal:
        'Se o código tiver expirado ou não funcionar, peça a redefinição da senha com este endereço de e-mail para ' +
        'receber outro.',
      unexpected: 'Se você não esperava esta conta ou tem dúvidas, fale com um administrador da sua instituição.',
    },
    'email-change': {
      subject: 'Confirme o seu novo e-mail',
      opening:
        `Este endereço foi informado como o novo e-mail de uma conta no ${SERVICE}. Informe o código abaixo e a sua ` +
        'senha para confirmar; depois disso, entre com este endereço.',
      does: 'confirma este e-mail para o seu acesso ao',
      renewal:
        'Se o código expirar, volte ao endereço anterior na sua conta e informe este endereço novamente para ' +
        'receber outro.',
    },
    'email-changed': {
      subject: 'O e-mail de contato da sua conta foi alterado',
      opening:
        `O e-mail de contato da sua conta no ${SERVICE} foi alterado. Você continua a entrar com este endereço até ` +
        'confirmar o novo.',
      unexpected:
        'Se não foi você que fez esta mudança ou se tem dúvidas, fale com um administrador da sua instituição.',
    },
  },
  en: {
    activation: {
      subject: 'Your activation code',
      opening:
        `We received a request to activate your access to ${SERVICE}. ` +
        'Enter the code below on the activation page.',
      does: 'activates your access to',
      renewal: 'If the code expires, request another one on the activation page.',
    },
    'phone-change': {
      subject: 'Confirm your new phone',
      opening:
        `We received a request to change the phone of your account at ${SERVICE}. ` +
        'Enter the code below to confirm it.',
      does: 'confirms your new phone at',
      renewal: 'If the code expires, enter the phone in your account again to receive another one.',
    },
    'password-reset': {
      subject: 'Reset your password',
      opening:
        `We received a request to reset your password at ${SERVICE}. ` +
        'Enter the code below and choose a new password.',
      does: 'resets your password at',
      renewal: 'If the code expires, request a password reset again to receive another one.',
    },
    'account-created': {
      subject: 'Your account was created',
      opening:
        `An administrator created an account for you at ${SERVICE}. To begin, enter the code below and choose a ` +
        'password that only you know.',
      does: 'sets your password at',
      renewal:
        'If the code has expired or does not work, request a password reset with this e-mail address to receive ' +
        'another one.',
      unexpected: 'If you did not expect this account or have questions, contact an administrator of your institution.',
    },
    'email-change': {
      subject: 'Confirm your new e-mail address',
      opening:
        `This address was entered as the new e-mail address of an account at ${SERVICE}. Enter the code below and ` +
        'your password to confirm it. From then on, sign in with this address.',
      does: 'confirms this address for signing in to',
      renewal:
        'If the code expires, return to the previous address in your account and enter this address again to receive ' +
        'another one.',
    },
    'email-changed': {
      subject: 'The contact address of your account was changed',
      opening:
        `The contact e-mail address of your account at ${SERVICE} was changed. You keep signing in with this address ` +
        'until you confirm the new one.',
      unexpected: 'If you did not make this change or have questions, contact an administrator of your institution.',
    },
  },
};

/** The sentences of a language. `life` is the lifetime of the code, in words. */
interface Frame {
  readonly greeting: string;
  readonly code: (does: string, code: string, life: string) => string;
  readonly secrecy: string;
  /** For a code that somebody requested: what to do if it was not the user, and whom to ask. */
  readonly unexpected: string;
  readonly closing: string;
  readonly sms: (does: string, code: string, life: string) => string;
  /** What to do if somebody else requested the code of an SMS. */
  readonly smsUnexpected: string;
  readonly minutes: (count: number) => string;
  readonly days: (count: number) => string;
}

// An SMS holds 160 characters of the GSM alphabet (3GPP TS 23.038), but only 70 if it has any other character, which
// most accented letters are. The Portuguese text therefore avoids accents.
export const frames: Readonly<Record<Language, Frame>> = {
  pt: {
    greeting: 'Olá,',
    code: (does, code, life) =>
      `O código ${code} ${does} ${SERVICE}. Ele é válido por ${life} e só pode ser usado uma vez.`,
    secrecy: 'Não informe o código a ninguém: nossa equipe nunca o pede.',
    unexpected:
      'Se você não pediu este código, ignore esta mensagem. Se tiver dúvidas, fale com um administrador da sua ' +
      'instituição.',
    closing: `Atenciosamente,\nEquipe ${SERVICE}`,
    sms: (does, code, life) => `${code} ${does} ${SERVICE}. Vale por ${life}.`,
    smsUnexpected: 'Se foi outra pessoa que pediu, ignore esta mensagem.',
    minutes: (count) => `${count} minutos`,
    days: (count) => `${count} dias`,
  },
  en: {
    greeting: 'Hello,',
    code: (does, code, life) => `The code ${code} ${does} ${SERVICE}. It is valid for ${life} and can be used once.`,
    secrecy: 'Do not share the code. We will never ask you for it.',
    unexpected:
      'If you did not request this code, ignore this message. If you have questions, contact an administrator of ' +
      'your institution.',
    closing: `Kind regards,\nThe ${SERVICE} team`,
    sms: (does, code, life) => `${code} ${does} ${SERVICE}. Valid for ${life}.`,
    smsUnexpected: 'If you did not request it, ignore this message.',
    minutes: (count) => `${count} minutes`,
    days: (count) => `${count} days`,
  },
};

/** Returns the subject and the text of a message. `lifeMs` is the lifetime of its code. */
export const codeText = (
  { purpose, channel, language }: { readonly purpose: Purpose; readonly channel: Channel; readonly language: Language },
  code: string,
  lifeMs: number,
): { readonly subject: string; readonly text: string } => {
  const template = templates[language][purpose];
  const frame = frames[language];
  const { subject } = template;
  const life = lifeMs < DAY_MS ? frame.minutes(Math.floor(lifeMs / 60_000)) : frame.days(Math.floor(lifeMs / DAY_MS));
  const text = channel === 'SMS' ? smsOf(template, frame, { code, life }) : letterOf(template, frame, { code, life });
  return { subject, text };
};

const DAY_MS = 86_400_000;

interface Sent {
  readonly code: string;
  readonly life: string;
}

const smsOf = ({ does, opening, unexpected }: Template, frame: Frame, { code, life }: Sent): string => {
  if (does === undefined) return opening;
  const text = frame.sms(does, code, life);
  return unexpected === undefined ? `${text} ${frame.smsUnexpected}` : text;
};

/** Returns an e-mail as paragraphs. Each paragraph begins with a capital letter. */
const letterOf = (template: Template, frame: Frame, { code, life }: Sent): string => {
  const { opening, does, renewal, unexpected = frame.unexpected } = template;
  const aboutCode = does === undefined ? [] : [frame.code(does, code, life), renewal, frame.secrecy];
  const paragraphs = [frame.greeting, opening, ...aboutCode, unexpected, frame.closing];
  return `${paragraphs.filter((paragraph) => paragraph !== undefined).join('\n\n')}\n`;
};
