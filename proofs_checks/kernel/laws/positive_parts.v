(* The positive and the negative part of a symmetric matrix, and its absolute value, as triangles: they are unique, their
   traces are those of the norms of one record, and they are measurable, as projections on a cone are Lipschitz. *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions cardinality fsbigop mathcomp_extra.
From mathcomp Require Import signed reals ereal topology normedtype sequences esum measure.
From mathcomp Require Import lebesgue_measure numfun lebesgue_integral exp.
From mathcomp.algebra_tactics Require Import ring.
From DPMatrix.matrices Require Import inner_products spectral_theorem.
From DPMatrix Require Import differential_privacy lebesgue_space additive_noise second_moment wishart_noise.
From DPMatrix Require Import norm_noise k_norm.
Import GRing.Theory Num.Theory Order.TTheory.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section parts.
Variables (R : realType) (d : nat).
Notation vector := 'rV[R]_(triangle_size d).
Implicit Types (s x y p q : vector) (Q : 'M[R]_d) (a b l : 'rV[R]_d).

(* p and p - x are semidefinite, and orthogonal *)
Definition is_positive_part x p := [/\ semidefinite p, semidefinite (p - x) & pairing p (p - x) = 0].

Lemma pairingC x y : pairing x y = pairing y x.
Proof. exact: mxtrace_mulC. Qed.
Lemma pairingBr s x y : pairing s (x - y) = pairing s x - pairing s y.
Proof. by rewrite pairingD -scaleN1r pairingZ mulN1r. Qed.
Lemma pairingBl s x y : pairing (x - y) s = pairing x s - pairing y s.
Proof. by rewrite pairingC pairingBr !(pairingC s). Qed.
Lemma pairing_squareB x y : pairing (x - y) (x - y) = pairing x x - pairing x y *+ 2 + pairing y y.
Proof. by rewrite !(pairingBl, pairingBr) (pairingC y x) opprB mulr2n opprD !addrA [in RHS]addrAC addrAC. Qed.
Lemma pairing_self x : pairing x x = \sum_i \sum_j symmetric_matrix x i j ^+ 2.
Proof.
apply: eq_bigr => i _; rewrite mxE; apply: eq_bigr => j _.
by rewrite -[in X in _ * X]symmetric_matrixT [in X in _ * X]mxE expr2.
Qed.
Lemma pairing_square_ge0 x : 0 <= pairing x x.
Proof. by rewrite pairing_self; apply: sumr_ge0 => i _; apply: sumr_ge0 => j _; exact: sqr_ge0. Qed.
Lemma pairing_frame Q a b : frame Q ->
  pairing (triangle (Q *m diag_mx a *m Q^T)) (triangle (Q *m diag_mx b *m Q^T)) = \sum_i a 0 i * b 0 i.
Proof.
move=> QQ; have sym e : (Q *m diag_mx e *m Q^T)^T = Q *m diag_mx e *m Q^T.
  by rewrite !trmx_mul trmxK tr_diag_mx mulmxA.
rewrite /pairing !triangleK// !mulmxA -[_ *m Q^T *m Q]mulmxA QQ mulmx1 mxtrace_mulC !mulmxA QQ mul1mx.
by rewrite mulmx_diag mxtrace_diag; apply: eq_bigr => i _; rewrite mxE.
Qed.
Lemma semidefinite_frame Q a : (forall i, 0 <= a 0 i) -> semidefinite (triangle (Q *m diag_mx a *m Q^T)).
Proof.
move=> a0 u; rewrite triangleK; last by rewrite !trmx_mul trmxK tr_diag_mx mulmxA.
by rewrite form_frame sumr_ge0// => i _; rewrite mulr_ge0 ?sqr_ge0.
Qed.
Lemma pairing_ge0 p q : semidefinite p -> semidefinite q -> 0 <= pairing p q.
Proof.
move=> sp sq; have [Q [l [QQ pE]]] := diagonalisation (symmetric_matrixT p).
have l0 i : 0 <= l 0 i.
  have := sp (row i Q^T); rewrite pE form_frame (bigD1 i)//= -row_mul QQ big1 ?addr0 => [|j ij].
    by rewrite !mxE eqxx expr1n mulr1.
  by rewrite !mxE eq_sym (negbTE ij) expr0n mulr0.
rewrite pairingC (pairing_spectral _ QQ pE) sumr_ge0// => i _.
by rewrite mulr_ge0.
Qed.

Lemma eigenvalue_part Q l x : frame Q -> symmetric_matrix x = Q *m diag_mx l *m Q^T ->
  is_positive_part x (triangle (Q *m diag_mx (\row_i Num.max 0 (l 0 i)) *m Q^T)).
Proof.
move=> QQ xE; set a := \row_i _.
have bE : triangle (Q *m diag_mx a *m Q^T) - x = triangle (Q *m diag_mx (a - l) *m Q^T).
  by rewrite -[x in LHS]symmetric_matrixK xE -triangleB -mulmxBl -mulmxBr -linearB.
split; rewrite ?bE ?pairing_frame//.
- by apply: semidefinite_frame => i; rewrite mxE le_maxr lexx.
- by apply: semidefinite_frame => i; rewrite !mxE subr_ge0 le_maxr lexx orbT.
- by apply: big1 => i _; rewrite !mxE; case: ltrP => _; rewrite ?subrr ?mulr0 ?mul0r.
Qed.

(* the part that is left out turns away: distances do not grow *)
Lemma parts_contract x y p q : is_positive_part x p -> is_positive_part y q ->
  pairing (p - q) (p - q) <= pairing (x - y) (x - y).
Proof.
move=> [sp sa pa] [sq sb qb]; set a := p - x in sa pa; set b := q - y in sb qb.
have -> : x - y = p - q - (a - b) by rewrite /a /b; apply/rowP => i; rewrite !mxE; ring.
clearbody a b.
have cross : pairing (p - q) (a - b) <= 0.
  rewrite pairingC !(pairingBl, pairingBr) [pairing a p]pairingC [pairing b q]pairingC pa qb sub0r subr0 -opprD oppr_le0.
  by rewrite addr_ge0// pairing_ge0.
rewrite [leRHS]pairing_squareB -addrA ler_addl addr_ge0 ?pairing_square_ge0// oppr_ge0.
by rewrite mulrn_wle0.
Qed.

Lemma coordinate_le x k : x 0 k ^+ 2 <= pairing x x.
Proof.
pose i := (sval (enum_val k)).1; pose j := (sval (enum_val k)).2.
have -> : x 0 k = symmetric_matrix x i j by rewrite -[in LHS](symmetric_matrixK x) mxE.
rewrite pairing_self (bigD1 i)//= (bigD1 j)//= -addrA ler_addl addr_ge0//; last first.
  by do 2 (apply: sumr_ge0 => ? _); exact: sqr_ge0.
by apply: sumr_ge0 => ? _; exact: sqr_ge0.
Qed.
Lemma pairing_le x : pairing x x <= (d%:R * l1_norm x) ^+ 2.
Proof.
have l0 : 0 <= l1_norm x by exact: sumr_ge0.
have entry i j : symmetric_matrix x i j ^+ 2 <= l1_norm x ^+ 2.
  rewrite -[leLHS]real_normK ?num_real// ler_pexpn2r ?nnegrE// mxE /l1_norm (bigD1 (place i j))//= ler_addl.
  exact: sumr_ge0.
rewrite pairing_self; apply: (@le_trans _ _ (\sum_(i < d) \sum_(j < d) l1_norm x ^+ 2)).
  by apply: ler_sum => i _; apply: ler_sum => j _; exact: entry.
by rewrite !sumr_const !card_ord -mulrnA exprMn -natrX mulr_natl.
Qed.

Lemma part_unique x p q : is_positive_part x p -> is_positive_part x q -> p = q.
Proof.
move=> hp hq; apply/rowP => k; apply/eqP; rewrite -subr_eq0 -sqrf_eq0 eq_le sqr_ge0 andbT.
have := parts_contract hp hq; rewrite subrr => le; have := coordinate_le (p - q) k; rewrite !mxE => /le_trans; apply.
by apply: (le_trans le); rewrite pairing_self big1// => i _; rewrite big1// => j _; rewrite mxE mxE expr0n.
Qed.

Lemma part_exists x : exists p, is_positive_part x p.
Proof.
have [Q [l [QQ xE]]] := diagonalisation (symmetric_matrixT x).
by eexists; exact: eigenvalue_part QQ xE.
Qed.
Definition positive_part x : vector := sval (cid (part_exists x)).
Definition negative_part x : vector := positive_part x - x.
Definition absolute x : vector := positive_part x + negative_part x.
Lemma positive_partP x : is_positive_part x (positive_part x). Proof. exact: svalP (cid (part_exists x)). Qed.

(* what the absolute value is *)
Lemma absolute_of_eigenvalues Q l x : frame Q -> symmetric_matrix x = Q *m diag_mx l *m Q^T ->
  symmetric_matrix (absolute x) = Q *m diag_mx (\row_i `|l 0 i|) *m Q^T.
Proof.
move=> QQ xE; rewrite /absolute /negative_part (part_unique (positive_partP x) (eigenvalue_part QQ xE)).
rewrite -[x in LHS]symmetric_matrixK xE -triangleB -triangleD triangleK; last first.
  by rewrite linearD linearB /= !trmx_mul !trmxK !tr_diag_mx !mulmxA.
rewrite -mulmxBl -mulmxBr -mulmxDl -mulmxDr -linearB -linearD; congr (_ *m diag_mx _ *m _).
apply/rowP => i; rewrite !mxE; case: ger0P => _; rewrite ?subrr ?addr0 ?add0r ?sub0r//.
Qed.

Lemma trace_positive_part x : \tr (symmetric_matrix (positive_part x)) = positive_trace x.
Proof.
have [Q [l [QQ xE]]] := diagonalisation (symmetric_matrixT x).
rewrite (part_unique (positive_partP x) (eigenvalue_part QQ xE)); have [-> _ _] := norms_of_eigenvalues QQ xE.
rewrite triangleK; last by rewrite !trmx_mul trmxK tr_diag_mx mulmxA.
by rewrite mxtrace_mulC mulmxA QQ mul1mx mxtrace_diag; apply: eq_bigr => i _; rewrite mxE.
Qed.
Lemma negative_partE x : negative_part x = positive_part (- x).
Proof.
apply: (part_unique _ (positive_partP (- x))); have [sp sm o] := positive_partP x.
by split=> //; rewrite /negative_part opprK subrK// pairingC.
Qed.
Lemma trace_negative_part x : \tr (symmetric_matrix (negative_part x)) = positive_trace (- x).
Proof. by rewrite negative_partE trace_positive_part. Qed.

Lemma part_lipschitz x y k : positive_part x 0 k <= positive_part y 0 k + d%:R * l1_norm (x - y).
Proof.
have l0 : 0 <= l1_norm (x - y) by exact: sumr_ge0.
rewrite addrC -ler_subl_addr (le_trans (ler_norm _))// -ler_sqr ?nnegrE ?mulr_ge0// real_normK ?num_real//.
apply: le_trans (pairing_le _); apply: le_trans (parts_contract (positive_partP x) (positive_partP y)).
by have := coordinate_le (positive_part x - positive_part y) k; rewrite !mxE.
Qed.
Lemma measurable_positive_part :
  measurable_fun setT (positive_part : space R (triangle_size d) -> space R (triangle_size d)).
Proof.
apply: measurable_into_space => k; apply: (@measurable_lipschitz _ _ _ d%:R) => // x y; exact: part_lipschitz.
Qed.
End parts.
