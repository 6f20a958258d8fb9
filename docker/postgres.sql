-- The databases of the API and of the index, each with an owner that is no superuser.
create role hearth login password 'hearth';
create database hearth owner hearth;
-- The indexer creates the role that runs public queries.
create role hearth_index login createrole password 'hearth';
create database hearth_index owner hearth_index;
