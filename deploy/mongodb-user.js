// Creates the service's user when MongoDB starts for the first time. The user may read and write the two databases of the
// service, and nothing else.
db.getSiblingDB('admin').createUser({
  user: 'clinical_protocols',
  pwd: process.env.MONGODB_PASSWORD,
  roles: ['views', 'vault'].map((name) => ({ role: 'readWrite', db: `clinical_protocols_${name}` })),
});
