// Example bodies for institutions in the documentation. Tests send each of them.

export const hospital = {
  name: 'Hospital São Lucas',
  document: '12.345.678/0001-95',
  email: 'contact@hospital.example',
  phone: '+55 11 4002-8922',
  address: 'Rua das Flores, 100, São Paulo',
};
export const emergency = { name: 'Emergency', address: 'Ground floor' };
