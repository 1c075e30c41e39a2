CREATE TABLE `film` (
  `film_id` smallint unsigned NOT NULL AUTO_INCREMENT,
  `title` varchar(128) NOT NULL,
  `release_year` year DEFAULT NULL,
  `length` smallint unsigned DEFAULT NULL,
  `rating` enum('G','PG','PG-13','R','NC-17') DEFAULT 'G',
  `rental_rate` decimal(4,2) NOT NULL DEFAULT '4.99',
  PRIMARY KEY (`film_id`),
  UNIQUE KEY `idx_title_year` (`title`, `release_year`),
  KEY `idx_length` (`length`),
  CONSTRAINT `positive_rate` CHECK ((`rental_rate` > 0)),
  CONSTRAINT `fk_language` FOREIGN KEY (`language_id`) REFERENCES `language` (`language_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
