// The users whom an operator can create with the tool: one command for each.

/** Maps each command to the type of the profile that it approves, and to the words for it. */
export const creatable = {
  admin: { type: 'ADMINISTRATOR', noun: 'administrator', plural: 'Administrators.' },
  auditor: { type: 'AUDITOR', noun: 'auditor', plural: 'Auditors, who read the audit trail and cannot write.' },
} as const;

/** A role that the tool can give. */
export type Creatable = (typeof creatable)[keyof typeof creatable];
