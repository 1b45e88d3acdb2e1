import { describe, expect, it } from 'vitest';
import { ConfigurationError, readConfig } from '../../src/config.js';

const SMTP = { SMTP_URL: 'smtps://ana:canary@mail.example.org', MAIL_FROM: 'Clinic <no-reply@example.org>' };
const SMS = { SMS_WEBHOOK_URL: 'https://sms.example.org/messages', SMS_WEBHOOK_SECRET: 'canary'.repeat(6) };

const faultOf = (environment: Readonly<Record<string, string>>): string => {
  try {
    readConfig(environment);
    return 'none';
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError);
    return (error as Error).message;
  }
};

describe('the configuration of messages', () => {
  it('is the outbox by default', () => {
    expect(readConfig({})).toMatchObject({ smtp: undefined, smsWebhook: undefined });
  });

  it.each([
    SMTP.SMTP_URL,
    'smtp://mail.example.org:2525?tls=false',
    'smtp://127.0.0.1:1025',
    'smtp://[::1]:1025?tls=true',
  ])('accepts a mail server: %s', (url) => {
    const { smtp } = readConfig({ ...SMTP, SMTP_URL: url });
    expect(smtp).toEqual({ url, from: SMTP.MAIL_FROM });
  });

  it.each(['https://sms.example.org/x?y=z', 'http://localhost:8080/sms', 'http://[::1]:8080', 'http://127.0.0.1'])(
    'accepts a webhook: %s',
    (url) => {
      const { smsWebhook } = readConfig({ ...SMS, SMS_WEBHOOK_URL: url });
      expect(smsWebhook).toEqual({ url, secret: SMS.SMS_WEBHOOK_SECRET });
    },
  );

  it.each([
    ['SMTP_URL', { ...SMTP, SMTP_URL: 'mail.example.org' }],
    ['SMTP_URL', { ...SMTP, SMTP_URL: 'https://ana:canary@mail.example.org' }],
    ['SMTP_URL', { ...SMTP, SMTP_URL: 'smtp://ana:canary@mail.example.org:port' }],
    ['SMTP_URL', { ...SMTP, SMTP_URL: 'smtp://ana:canary@mail.example.org?tls=perhaps' }],
    ['SMTP_URL', { ...SMTP, SMTP_URL: 'smtps://ana:canary%zz@mail.example.org' }],
    ['SMTP_URL', { MAIL_FROM: SMTP.MAIL_FROM }],
    ['MAIL_FROM', { SMTP_URL: SMTP.SMTP_URL }],
    ['MAIL_FROM', { ...SMTP, MAIL_FROM: 'the clinic' }],
    ['MAIL_FROM', { ...SMTP, MAIL_FROM: 'a@example.org\r\nBcc: b@example.org' }],
    ['SMS_WEBHOOK_URL', { ...SMS, SMS_WEBHOOK_URL: 'http://sms.example.org/canary' }],
    ['SMS_WEBHOOK_URL', { ...SMS, SMS_WEBHOOK_URL: 'http://127.0.0.1.example.org/canary' }],
    ['SMS_WEBHOOK_URL', { ...SMS, SMS_WEBHOOK_URL: 'https://ana:canary@sms.example.org' }],
    ['SMS_WEBHOOK_URL', { ...SMS, SMS_WEBHOOK_URL: 'https://:canary@sms.example.org' }],
    ['SMS_WEBHOOK_URL', { SMS_WEBHOOK_SECRET: SMS.SMS_WEBHOOK_SECRET }],
    ['SMS_WEBHOOK_SECRET', { SMS_WEBHOOK_URL: SMS.SMS_WEBHOOK_URL }],
    ['SMS_WEBHOOK_SECRET', { ...SMS, SMS_WEBHOOK_SECRET: 'canary' }],
  ] as const)('names %s in one line that has an example and no secret', (variable, environment) => {
    const fault = faultOf(environment);
    expect(fault).toMatch(new RegExp(`^${variable}: .*(for example|openssl)`));
    expect(fault.split('\n')).toHaveLength(1);
    expect(fault).not.toContain('canary');
  });

  it('has examples that are accepted', () => {
    const exampleIn = (fault: string) => fault.replace(/^.*for example /, '');
    const from = exampleIn(faultOf({ SMTP_URL: SMTP.SMTP_URL }));
    const server = exampleIn(faultOf({ MAIL_FROM: from }));
    const webhook = exampleIn(faultOf({ SMS_WEBHOOK_SECRET: SMS.SMS_WEBHOOK_SECRET }));
    expect(faultOf({ ...SMS, MAIL_FROM: from, SMTP_URL: server, SMS_WEBHOOK_URL: webhook })).toBe('none');
  });
});
