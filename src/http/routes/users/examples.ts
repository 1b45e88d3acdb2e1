// Example bodies for users in the documentation.

export const doctor = {
  firstName: 'Ana',
  lastName: 'Souza',
  document: '529.982.247-25',
  birthDate: '1980-02-29',
  profiles: [{ documentDoctor: 'CRM/SP 123456', documentDoctorUpdatedAt: '2025-12-31', specialties: [] }],
  auth: { email: 'ana.souza@example.org', password: 'correct horse battery staple', token: '' },
};

export const revision = {
  email: 'ana.souza@example.org',
  firstName: 'Ana Clara',
  lastName: 'Souza',
  document: '529.982.247-25',
  birthDate: '1980-02-29',
  dialingCode: '55',
  phone: '11 91234-5678',
  enabled: true,
  createdAt: '2026-01-05T08:00:00.000Z',
  updatedAt: '2026-01-05T08:00:00.000Z',
};

export const profile = {
  type: 'NURSE' as const,
  documentDoctor: 'COREN/SP 98765',
  documentDoctorState: 'SP',
  documentDoctorUpdatedAt: '2025-12-31',
  specialties: [],
};

export const resubmission = { documentDoctor: 'CRM/SP 123456', documentDoctorUpdatedAt: '2026-01-31' };
export const decision = { reason: 'The registration was checked with the council.' };
export const exampleUserId = '018f4c3e-0000-7000-8000-000000000001';

export const newcomer = {
  notificationProviderType: 'EMAIL',
  firstName: 'Bruno',
  lastName: 'Lima',
  birthDate: '1985-07-14',
  dialingCode: '55',
  phone: '11 91234-5678',
  acceptTerms: true as const,
  gender: 'MASCULINE' as const,
  auth: { email: 'bruno.lima@example.org', password: 'correct horse battery staple', type: 'USERPASS' as const },
  profiles: [
    {
      documentDoctor: 'CRM/SP 123456',
      documentDoctorState: 'SP',
      documentDoctorUpdatedAt: '2025-12-31',
      specialties: [{ description: 'Cardiologia', document: 'RQE 4321' }],
      type: 'DOCTOR_SPECIALIST' as const,
    },
  ],
};
