// The messages about decisions on profiles. The language of the person is unknown, because the request is an
// administrator's, so a message has both languages. It contains neither the reason, which may be confidential, nor a link.
import type { ApprovalStatus, ProfileType } from '../../domain/user/state.js';
import { frames, type Language, languages, SERVICE } from './texts.js';

/** What a message says: the new status, or that an approval was revoked. */
type News = ApprovalStatus | 'REVOKED';

interface Words {
  /** The subject of a sentence about the profile, by the type of the profile. */
  readonly profiles: Readonly<Record<ProfileType, string>>;
  /** The subject of the e-mail, the predicate about the profile, and what to do. */
  readonly news: Readonly<Record<News, readonly [subject: string, predicate: string, next: string]>>;
  readonly questions: string;
}

const resubmit = {
  pt: 'Na sua conta, você também pode corrigir os dados do perfil e enviá-los novamente para análise.',
  en: 'In your account, you can also correct the data of the profile and submit the profile again.',
} as const;
const reason = {
  pt: 'O histórico do perfil, na sua conta, mostra a decisão e o motivo, se informado.',
  en: 'The history of the profile, in your account, shows the decision and the reason, if one was given.',
} as const;

const words: Readonly<Record<Language, Words>> = {
  pt: {
    profiles: {
      DOCTOR_GENERALIST: `Seu perfil de medicina generalista no ${SERVICE}`,
      DOCTOR_SPECIALIST: `Seu perfil de medicina especializada no ${SERVICE}`,
      NURSE: `Seu perfil de enfermagem no ${SERVICE}`,
      ADMINISTRATOR: `Seu perfil de administração no ${SERVICE}`,
      AUDITOR: `Seu perfil de auditoria no ${SERVICE}`,
    },
    news: {
      APPROVED: [
        'Seu perfil foi aprovado',
        'foi aprovado e já pode ser usado. Se você já entrou e ele não aparece, saia e entre novamente.',
        reason.pt,
      ],
      REJECTED: [
        'Seu perfil não foi aprovado',
        'foi analisado e não foi aprovado. Por enquanto, ele não pode ser usado.',
        `${reason.pt} ${resubmit.pt}`,
      ],
      REVOKED: [
        'A aprovação do seu perfil foi revogada',
        'não está mais aprovado: a aprovação foi revogada. Por enquanto, ele não pode ser usado.',
        `${reason.pt} ${resubmit.pt}`,
      ],
      ANALYSING: [
        'Seu perfil voltou para análise',
        'voltou para análise e não pode ser usado até a próxima decisão. Avisaremos quando ela for tomada.',
        'Isso acontece quando o perfil é enviado novamente, ou quando o nome ou um documento muda. Confira os dados na sua conta.',
      ],
    },
    questions: 'Se tiver dúvidas, ou se não reconhecer a mudança, fale com um administrador da sua instituição.',
  },
  en: {
    profiles: {
      DOCTOR_GENERALIST: `Your profile as a general practitioner at ${SERVICE}`,
      DOCTOR_SPECIALIST: `Your profile as a specialist doctor at ${SERVICE}`,
      NURSE: `Your profile as a nurse at ${SERVICE}`,
      ADMINISTRATOR: `Your profile as an administrator at ${SERVICE}`,
      AUDITOR: `Your profile as an auditor at ${SERVICE}`,
    },
    news: {
      APPROVED: [
        'Your profile was approved',
        'was approved and can be used now. If you have signed in and do not see the profile, sign out and sign in again.',
        reason.en,
      ],
      REJECTED: [
        'Your profile was not approved',
        'was reviewed and not approved. For now, it cannot be used.',
        `${reason.en} ${resubmit.en}`,
      ],
      REVOKED: [
        'Your profile is no longer approved',
        'is no longer approved: the approval was revoked. For now, it cannot be used.',
        `${reason.en} ${resubmit.en}`,
      ],
      ANALYSING: [
        'Your profile is under review again',
        'is under review again and cannot be used until the next decision. We will write to you when it is made.',
        'This happens when the profile is submitted again, or when the name or a document changes. Check the data in your account.',
      ],
    },
    questions: 'If you have questions, or do not know of the change, contact an administrator of your institution.',
  },
};

/** Returns the subject and the text of the message about a decision on a profile, in both languages. */
export const decisionText = (type: ProfileType, news: News): { readonly subject: string; readonly text: string } => {
  const textIn = (language: Language): string => {
    const { profiles, news: all, questions } = words[language];
    const { greeting, closing } = frames[language];
    const [, predicate, next] = all[news];
    return [greeting, `${profiles[type]} ${predicate}`, next, questions, closing].join('\n\n');
  };
  const subject = languages.map((language) => words[language].news[news][0]).join(' / ');
  return { subject, text: `(English version below)\n\n${languages.map(textIn).join('\n\n* * *\n\n')}\n` };
};
